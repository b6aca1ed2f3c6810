# The package pet-store-service as an image: docs/hosting.md#with-docker.
#
# The first stage builds everything. It runs on the builder's processor, even for another platform, because the second
# stage only copies.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
# The install scripts would download another Node.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:package

# The dependencies, in the versions of the lockfile, for the target platform. Then remove what the service does not use:
# sharp, which resizes images for Miniflare, and files for people and compilers.
ARG TARGETARCH
WORKDIR /source/dist/package
RUN cpu="$(node -p '(process.env.TARGETARCH || process.arch).replace("amd64", "x64")')" \
  && cp ../../package-lock.json . \
  && npm install --omit=dev --ignore-scripts --os=linux --cpu="$cpu" \
  && rm -r package-lock.json node_modules/.package-lock.json node_modules/.bin \
  && (cd node_modules && rm -r sharp @img detect-libc semver workerd/worker.mjs miniflare/dist/local-explorer-ui) \
  && find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' -o -name '*.md' \) ! -iname 'license*' -delete \
  && find . -type d -empty -delete \
  && mkdir /data

# Health checks of CI call wget, as in the images that this one replaces. Debian's static busybox runs without its libraries.
WORKDIR /busybox
RUN arch="${TARGETARCH:-$(dpkg --print-architecture)}" \
  && dpkg --add-architecture "$arch" \
  && apt-get update \
  && apt-get download "busybox-static:$arch" \
  && dpkg --extract ./*.deb .

FROM node:22-bookworm-slim
COPY --from=build /source/dist/package /app
# By this name, it is wget.
COPY --from=build /busybox/bin/busybox /usr/local/bin/wget
# For --keep. A new volume gets the owner of the folder that it is mounted on.
COPY --from=build --chown=1000:1000 /data /data
# The user `node` of the base image, as a number: from a name, Kubernetes cannot tell that it is not root.
USER 1000:1000
# Platforms such as Cloud Run set it to another one.
ENV PORT=8080
EXPOSE $PORT
STOPSIGNAL SIGTERM
# The Worker serves the document itself, so the check is not recorded and no fault rule matches it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD wget -q --spider "http://127.0.0.1:$PORT/openapi.json"
ENTRYPOINT ["node", "/app/image.js"]
