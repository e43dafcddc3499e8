# docker build -t clmatch . && docker run --rm -v "$PWD:/data:ro" clmatch score iris.csv
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --profile shipped --locked --bin clmatch

FROM debian:bookworm-slim
COPY --from=build /src/target/shipped/clmatch /usr/local/bin/clmatch
COPY --from=build /src/LICENSE-MIT /src/LICENSE-APACHE /usr/share/doc/clmatch/
USER nobody
WORKDIR /data
ENTRYPOINT ["clmatch"]
CMD ["--help"]
