// Validates documents with the parser of many mocks and generators.
import SwaggerParser from "@apidevtools/swagger-parser";

for (const file of process.argv.slice(2)) {
  const { info } = await SwaggerParser.validate(file);
  console.log(`ok  ${info.title} ${info.version}: ${file}`);
}
