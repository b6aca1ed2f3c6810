export default { globalSetup: "./start.mjs" };
