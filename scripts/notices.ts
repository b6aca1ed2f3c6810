import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import project from "../package.json" with { type: "json" };

/** The folder of the npm package that contains a file. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Writes the licenses and notices of npm packages.
 * @param files the paths of the files that we distribute parts of. Files of our own are ignored.
 * @throws Error if a package does not contain its license
 */
export function thirdPartyNotices(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file) ?? []));
  const notices = [...folders].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
      "name" | "version" | "license",
      string
    >;
    const own = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)(?:\.|$)/i.test(file));
    // A minified file has the notices of what it contains next to it.
    const contained = files.map((file) => `${file}.LICENSE.txt`).filter((file) => file.startsWith(`${folder}/`));
    const texts = [...own.map((file) => join(folder, file)), ...contained.filter((file) => existsSync(file))];
    if (own.length === 0 && license !== project.license) throw new Error(`${name} does not contain its license`);
    return [
      `${name} ${version} (${license}${own.length === 0 ? ", see the file LICENSE" : ""})`,
      ...texts.map((file) => readFileSync(file, "utf8").trim()),
    ].join("\n\n");
  });
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `${["pet-store-service contains parts of these npm packages.", ...notices].join(line)}\n`;
}
