import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

// A proxy that opens nothing: CONNECT, then bytes both ways. The least any proxy in Node can cost.
const server = createServer().on("connect", (request, client, head) => {
  const target = new URL(`http://${request.url ?? ""}`);
  const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true }, () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  client.on("error", () => upstream.destroy());
  upstream.on("error", () => client.destroy());
});
server.on("connection", (socket) => socket.setNoDelay(true));
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit(0));
