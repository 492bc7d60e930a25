// A static server for trying the page: one folder, on this machine only.
import { createServer } from "node:http";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname, join, normalize, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/**
 * Serves `folder` on 127.0.0.1; a port of 0 takes any free one. Resolves to the server once it listens.
 * @param {string} folder
 * @param {number} port
 * @returns {Promise<import("node:http").Server>}
 */
export function serve(folder, port) {
  const root = resolve(folder);
  const server = createServer(async (request, response) => {
    try {
      const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
      let file = join(root, normalize(path));
      if (file !== root && !file.startsWith(root + sep)) throw new Error("outside");
      if ((await stat(file)).isDirectory()) file = join(file, "index.html");
      const { size } = await stat(file);
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        "content-length": size,
        "cache-control": "no-cache",
      });
      createReadStream(file).pipe(response);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
    }
  });
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, "127.0.0.1", () => done(server));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = "dist/site", port = "8137"] = process.argv.slice(2);
  const server = await serve(folder, Number(port)).catch(() => serve(folder, 0));
  const address = server.address();
  if (address && typeof address === "object") console.log(`The page served: http://127.0.0.1:${address.port}/  (Ctrl-C ends it)`);
}
