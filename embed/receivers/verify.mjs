import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.SVC_WEBHOOK_SECRET.replace("whsec_", ""), "base64");

// genuine tells whether the bytes were signed with the key in the last 5 minutes.
function genuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  const sum = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
  const expected = Buffer.from("v1," + sum);
  return Math.abs(Date.now() / 1000 - time) <= 300 && signatures.split(" ").some((given) =>
    given.length === expected.length && timingSafeEqual(Buffer.from(given), expected));
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts); // the bytes as they came, not parsed and written anew
  if (!genuine(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  console.log(event.type, request.headers["webhook-id"]); // an id that came before: do nothing
  response.writeHead(204).end();
});
server.listen(process.env.PORT ?? 8000, () => console.log("listening on", server.address().port));
