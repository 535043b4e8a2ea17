# The image has the static binary and the data directory /data, which belongs to an
# unprivileged user. It runs with a read-only root file system: only /data is written.
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X svc/cmd.version=${VERSION}" -o /out/svc . \
 && mkdir -p /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/svc /svc
COPY --from=build --chown=65532:65532 --chmod=0700 /out/data /data
USER 65532:65532
ENV SVC_DB=/data/svc.db SVC_ADDR=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/svc", "healthcheck"]
ENTRYPOINT ["/svc"]
CMD ["serve"]
