# syntax=docker/dockerfile:1
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ffmpeg tini \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data /certs && chown node:node /data /certs
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY scripts/healthcheck.mjs scripts/
# The probe port is for the health check and the orchestrator; it is not published.
# The image is reached from outside, so HTTP is served over TLS unless something in front does that (docs/operations.md).
ENV NODE_ENV=production \
    AIRLOCK_HTTPS=on \
    AIRLOCK_PROBE_PORT=8081 \
    AIRLOCK_DATA_DIR=/data \
    AIRLOCK_CERTS_DIR=/certs
USER node
VOLUME ["/data", "/certs"]
EXPOSE 1936 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "--no-warnings", "scripts/healthcheck.mjs"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "dist/main.js"]
CMD ["serve"]
