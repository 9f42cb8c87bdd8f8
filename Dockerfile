# gpulearn in a container, for machines for which NVIDIA publishes no compiler:
#
#     docker build -t gpulearn .
#     docker run --rm -it -v gpulearn-cache:/cache -v "$PWD:/work" gpulearn
#
# The compiler is NVIDIA's, under its own licence, and not part of the image: the first check fetches it into
# the volume. With a GPU and NVIDIA's container toolkit, add `--gpus all`.
FROM rust:1-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -m 1777 /cache /work
COPY --from=build /src/target/dist/gpulearn /usr/local/bin/gpulearn
ENV XDG_CACHE_HOME=/cache
WORKDIR /work
ENTRYPOINT ["gpulearn"]
