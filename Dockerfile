# syntax=docker/dockerfile:1
# A release fills the digest: --build-arg NODE_DIGEST=@sha256:…
ARG NODE_DIGEST=
FROM node:24-bookworm-slim${NODE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
# The binaries of the npm packages are too old for files of others: the image has Debian's ffmpeg.
RUN npm run build && npm run --silent sbom > sbom.json && npm prune --omit=dev \
  && rm -rf node_modules/@ffmpeg-installer node_modules/ffprobe-static

FROM node:24-bookworm-slim${NODE_DIGEST}
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ffmpeg iproute2 tini \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data /certs && chown node:node /data /certs
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/sbom.json ./
COPY scripts/healthcheck.mjs scripts/
# A release passes --build-arg VERSION=… REVISION=…
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Airlock" \
      org.opencontainers.image.description="RTMPS live ingest server with a stream validator" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The probe port is for the health check and the orchestrator, which asks from outside the container; it is not published.
# The image is reached from outside, so HTTP is served over TLS unless something in front does that (docs/operations.md).
ENV NODE_ENV=production \
    AIRLOCK_HTTPS=on \
    AIRLOCK_PROBE_PORT=8081 \
    AIRLOCK_PROBE_HOST=0.0.0.0 \
    AIRLOCK_DATA_DIR=/data \
    AIRLOCK_CERTS_DIR=/certs
USER node
VOLUME ["/data", "/certs"]
EXPOSE 1936 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "--no-warnings", "scripts/healthcheck.mjs"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "dist/main.js"]
CMD ["serve"]
