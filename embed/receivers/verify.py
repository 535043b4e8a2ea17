import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["SVC_WEBHOOK_SECRET"].removeprefix("whsec_"))


def genuine(headers, body):
    """Whether the bytes were signed with the key in the last 5 minutes."""
    sent = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id', '')}.{sent}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").encode().split()
    return sent.isdigit() and abs(time.time() - int(sent)) <= 300 and any(
        hmac.compare_digest(one, expected.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))  # the bytes as they came
        ok = genuine(self.headers, body)
        if ok:  # an id that came before: do nothing
            print(json.loads(body)["type"], self.headers["webhook-id"], flush=True)
        self.send_response(204 if ok else 400)
        self.end_headers()


server = HTTPServer(("", int(os.environ.get("PORT", 8000))), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
