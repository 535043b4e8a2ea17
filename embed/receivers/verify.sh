# The body is on standard input, byte for byte as it came; ID, TIMESTAMP and SIGNATURE are
# webhook-id, webhook-timestamp and webhook-signature.
body=$(mktemp) && trap 'rm -f "$body"' EXIT && cat > "$body"
key=$(printf %s "${SVC_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
sum=$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
age=$(($(date +%s) - TIMESTAMP))
case " $SIGNATURE " in
*" v1,$sum "*) [ "${age#-}" -le 300 ] && echo genuine && exit ;;
esac
echo forged, or older than 5 minutes
exit 1
