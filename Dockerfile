# The whole service in one container: every app of ecosystem.config.js under PM2 in the foreground. docs/operations/docker.md.

# Gives Debian, npm and the user; the Node that runs is that of scripts/image/package-lock.json.
ARG NODE=node:22.20.0-bookworm-slim@sha256:b21fe589dfbe5cc39365d0544b9be3f1f33f55f3c86c87a76ff65a02f8f5848e

# On the machine's own processor, whatever the image is for: nothing of another one is run.
FROM --platform=$BUILDPLATFORM $NODE AS build
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
# The one library that a newer Node needs beside those of the base; Debian's signature is checked.
RUN arch="${TARGETARCH:-$(dpkg --print-architecture)}" && dpkg --add-architecture "$arch" && apt-get -qq update && \
  apt-get -qq download "libatomic1:$arch" && dpkg -x libatomic1_*.deb /libatomic && rm libatomic1_*.deb
COPY . .
RUN npm run build && node scripts/npm/install-production.cjs $TARGETARCH

# Podman 4 would take the base of the stage above.
FROM --platform=$TARGETPLATFORM $NODE
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Quittance" \
      org.opencontainers.image.description="Self-hosted Bitcoin payment invoicing" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="docker.io/library/node:22.20.0-bookworm-slim" \
      org.opencontainers.image.base.digest="sha256:b21fe589dfbe5cc39365d0544b9be3f1f33f55f3c86c87a76ff65a02f8f5848e"
# What PM2 and npm write goes below /tmp: nothing else needs to be writable. NODE_VERSION would be the base's.
ENV NODE_VERSION= NODE_ENV=production HOST=0.0.0.0 PORT=3000 PM2_HOME=/tmp/pm2 QUITTANCE_LOG_FILES=off npm_config_cache=/tmp/npm
WORKDIR /app
COPY package.json ecosystem.config.js LICENSE ./
# npm run -s cli -- …
COPY scripts/npm/built.cjs scripts/npm/built.cjs
COPY --from=build /libatomic/usr/lib /usr/lib
COPY --from=build /app/scripts/image/node_modules/node-linux-*/bin/node /usr/local/bin/
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Its files belong to root: what runs here cannot change itself.
USER node
EXPOSE 3000
# That the API answers. What it says of nodes, queue and workers is for monitoring: /api/v1/health.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/.bin/pm2-runtime", "start", "ecosystem.config.js"]
