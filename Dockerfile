# anix in a container: the last stage draws on the CPU, the stage "cuda" has a GPU and video models.
#
#   docker build -t anix .
#   docker run --rm -v "$PWD:/film" anix render film.yaml
#   docker build -t anix:cuda --target cuda .
#   docker run --rm --gpus all -v "$PWD:/film" anix:cuda render film.yaml --backend wan-vace

ARG PYTHON=python:3.12-slim
ARG CUDA=nvidia/cuda:12.8.1-devel-ubuntu24.04

FROM ${PYTHON} AS wheel
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

# gsplat compiles its kernels when it first draws, so this needs the image with the compiler.
FROM ${CUDA} AS cuda
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-dev python3-venv g++ \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home film \
 && python3 -m venv /opt/anix
COPY --from=wheel /wheels /wheels
RUN /opt/anix/bin/python -m pip install --no-cache-dir "$(echo /wheels/anix-*.whl)[spz,usd,otio,gpu,generate]" \
 && install --directory --owner film /film
ENV PATH=/opt/anix/bin:$PATH
USER film
WORKDIR /film
ENTRYPOINT ["anix"]
CMD ["--help"]

FROM ${PYTHON} AS cpu
COPY --from=wheel /wheels /wheels
RUN python -m pip install --no-cache-dir "$(echo /wheels/anix-*.whl)[spz,usd,otio]" \
 && useradd --create-home film \
 && install --directory --owner film /film
USER film
WORKDIR /film
ENTRYPOINT ["anix"]
CMD ["--help"]
