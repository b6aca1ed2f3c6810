// `bash .ci/run image`: builds the image with buildah, which needs no daemon, and tests it: walk.ts. Needs Debian, root, and
// the right to mount, which only a privileged container has.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, outputOf, runSync } from "../../scripts/programs.ts";

const BASE = "docker.io/library/node:22-bookworm-slim";
const IMAGE = "localhost/pet-store-service";
/** The most that the image may add to the base image. */
const MOST_MB = 210;
/** How long a pull of the base image may take. */
const PULL_MS = 120_000;
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

function checkMachine(): void {
  const needed: readonly (readonly [lacks: string, file: string, ...args: string[]])[] = [
    ["you are not root, or in a container that is not privileged", "unshare", "-mn", "true"],
    ["it lacks buildah", "buildah", "--version"],
    ["it lacks mmdebstrap", "mmdebstrap", "--version"],
    ["it lacks ip, of iproute2", "ip", "-V"],
  ];
  for (const [lacks, file, ...args] of needed) {
    if (runSync(file, args).status === 0) continue;
    console.error(`This machine cannot build images: ${lacks}.`);
    process.exit(1);
  }
}

/** Builds a replacement for the base image: Debian with this Node and npm. */
function makeBase(context: string): void {
  const local = join(context, "usr", "local");
  const certificates = join(context, CERTIFICATES);
  for (const path of [join(local, "bin"), join(local, "etc"), dirname(certificates)]) {
    mkdirSync(path, { recursive: true });
  }
  outputOf("mmdebstrap", ["--variant=minbase", "bookworm", join(context, "debian.tar")]);
  cpSync(process.execPath, join(local, "bin", "node"));
  // The npm that runs this script.
  const { npm_execpath: npm } = process.env;
  assert.ok(npm);
  cpSync(dirname(dirname(npm)), join(local, "lib", "node_modules", "npm"), { recursive: true });
  // The registry may have a certificate that only this machine trusts.
  if (existsSync(CERTIFICATES)) {
    cpSync(CERTIFICATES, certificates, { dereference: true });
    writeFileSync(join(local, "etc", "npmrc"), `cafile=${CERTIFICATES}\n`);
  }
  const lines = [
    "FROM scratch",
    "ADD debian.tar /",
    "COPY etc /etc",
    "COPY usr /usr",
    "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm",
    "RUN useradd --uid 1000 --user-group --create-home node",
  ];
  writeFileSync(join(context, "Dockerfile"), lines.join("\n"));
  outputOf("buildah", ["build", "--tag", BASE, context]);
}

/** The size of an image, in MB. */
function megabytesOf(image: string): number {
  const size = outputOf("buildah", ["images", "--format", "{{.Size}}", image]).trim();
  const [, number] = /^([\d.]+) MB$/.exec(size) ?? [];
  return Number(number);
}

checkMachine();
// Images are stored here, not in the system's storage. /tmp may be in memory.
const folder = mkdtempSync("/var/tmp/pet-store-image-");
const [stored, running] = [join(folder, "stored"), join(folder, "running")];
const storage = join(folder, "storage.conf");
const settings = { driver: "vfs", graphroot: stored, runroot: running };
const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
writeFileSync(storage, ["[storage]", ...lines].join("\n"));
Object.assign(process.env, { CONTAINERS_STORAGE_CONF: storage, BUILDAH_ISOLATION: "chroot" });
try {
  if (runSync("buildah", ["pull", BASE], { timeout: PULL_MS }).status === 0) {
    console.log(`ok  the base image is ${BASE}`);
  } else {
    makeBase(join(folder, "base"));
    console.log(`ok  ${BASE} cannot be pulled: the base image is Debian bookworm with this Node`);
  }
  // Only Docker's format has health checks.
  const build = ["build", "--format", "docker", "--pull-never", "--tag", IMAGE, ROOT];
  assert.equal(runSync("buildah", build, { shows: true }).status, 0);
  const base = megabytesOf(BASE);
  const above = megabytesOf(IMAGE) - base;
  console.log(`ok  the base image has ${base} MB, and the image ${above} MB above it`);
  assert.ok(above <= MOST_MB);
  // In a network namespace, where port 8080 is free and no other machine can be reached.
  const walk = `ip link set lo up && exec ${process.execPath} e2e/image/walk.ts ${IMAGE}`;
  assert.equal(runSync("unshare", ["--net", "sh", "-c", walk], { shows: true }).status, 0);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
