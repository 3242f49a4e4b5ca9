# syntax=docker/dockerfile:1
# A release fills the digests: --build-arg NODE_DIGEST=@sha256:… --build-arg DEBIAN_DIGEST=@sha256:…
ARG NODE_DIGEST=
ARG DEBIAN_DIGEST=
FROM node:24-bookworm-slim${NODE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
# The documents, which the server shows at /help/.
COPY docs docs
COPY *.md ./
COPY bench/README.md bench/
COPY fixtures/README.md fixtures/
# The binaries of the npm packages are too old for files of others: the image has Debian's ffmpeg.
RUN npm run build && npm prune --omit=dev && node scripts/prune-install.mjs .

# Of Node only the program: npm, yarn and headers are 80 MB.
FROM debian:bookworm-slim${DEBIAN_DIGEST}
# Debian's ffmpeg depends on drivers for OpenGL, which it loads for a window on a screen only. They and their compiler are
# 160 MB; without them dpkg calls its dependencies unmet.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ffmpeg iproute2 libatomic1 libstdc++6 tini \
  && dpkg --purge --force-depends libgl1-mesa-dri libllvm15 libz3-4 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node \
  && mkdir -p /data /certs && chown node:node /data /certs
COPY --from=build /usr/local/bin/node /usr/local/bin/
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY scripts/healthcheck.mjs scripts/sbom.mjs scripts/
# Last, from what is there.
RUN node scripts/sbom.mjs --system > sbom.json
# A release passes --build-arg VERSION=… REVISION=…
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Airlock" \
      org.opencontainers.image.description="RTMPS live ingest server with a stream validator" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The probe port is for the health check and the orchestrator, which asks from outside the container; it is not published.
# The image is reached from outside, so HTTP is served over TLS unless something in front does that (docs/operations/network.md).
ENV NODE_ENV=production \
    AIRLOCK_HTTPS=on \
    AIRLOCK_PROBE_PORT=8081 \
    AIRLOCK_PROBE_HOST=0.0.0.0 \
    AIRLOCK_DATA_DIR=/data \
    AIRLOCK_CERTS_DIR=/certs
USER node
VOLUME ["/data", "/certs"]
EXPOSE 1936 8080
# Only the Docker format holds it: buildah and podman build with --format docker.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "--no-warnings", "scripts/healthcheck.mjs"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "dist/main.js"]
CMD ["serve"]
