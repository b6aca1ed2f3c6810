# The package pet-store-service as an image: docs/hosting.md#with-docker.
#
# The first stage makes what the second serves. It runs on the builder's own processor, also for another one: nothing in
# the second stage must run to build it.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
# The install scripts fetch a Node of their own.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:package

# Its dependencies, in the versions of the lockfile, for the processor that will serve. Then without what only other uses
# need: sharp, which resizes images for Miniflare, and what people and compilers read.
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

FROM node:22-bookworm-slim
COPY --from=build /source/dist/package /app
# For --keep. Docker gives a new volume the owner of the folder that it covers.
COPY --from=build --chown=1000:1000 /data /data
# The user `node` of the base image. Kubernetes can tell only from a number that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# The Worker answers for the document. The request enters no log, and meets no rule for faults.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/v2/openapi.json', { method: 'HEAD' }).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["node", "/app/command.js", "--host", "0.0.0.0", "--port", "8080"]
