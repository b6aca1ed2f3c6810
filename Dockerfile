# The package pet-store-service as an image: docs/hosting.md.
#
# The first stage always runs on the builder's processor. The second stage only copies, so no step runs on the target's.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
# The install scripts would download another Node.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build:package

# Installs the dependencies for the target platform, in the versions of the lockfile.
ARG TARGETARCH
WORKDIR /source/dist/package
RUN cp ../../package-lock.json . \
  && npm install --omit=dev --ignore-scripts --os=linux --cpu="$(echo "${TARGETARCH:-$(uname -m)}" | sed 's/amd64\|x86_64/x64/; s/aarch64/arm64/')" \
  && rm package-lock.json \
  && mkdir /data

FROM node:22-bookworm-slim
COPY --from=build /source/dist/package /app
# For --keep /data: a new volume gets the owner of the folder at its mount point.
COPY --from=build --chown=1000:1000 /data /data
# The user `node` as a number, because Kubernetes cannot tell from a name that a user is not root.
USER 1000:1000
ENV PORT=8080
EXPOSE $PORT
# Without an agent, because a global one would use the proxy in NODE_USE_ENV_PROXY.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "require('node:http').get(`http://127.0.0.1:${process.env.PORT}/health`, { agent: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "/app/command.js", "--host", "0.0.0.0"]
