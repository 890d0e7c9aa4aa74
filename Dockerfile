# The two images of rocm-ci.
#
#   docker build --target runner   --build-arg BASE_IMAGE=YOUR-ROCM-IMAGE@sha256:… .
#   docker build --target reporter .
#
# `runner` stands on any Debian or Ubuntu image with ROCm in it. The classic builder makes every stage
# above the target too: give it both base images, or use BuildKit. In a closed network pip is led by the
# usual variables, given as build arguments, or by a pip.conf in the base image.
ARG BASE_IMAGE=rocm/dev-ubuntu-24.04:7.2.4-complete@sha256:92f309c51b52cef8762867848f1529dee821624f23cd5df38455e819538f762f
ARG REPORTER_IMAGE=python:3.12-slim@sha256:57cd7c3a7a273101a6485ba99423ee568157882804b1124b4dd04266317710de

FROM ${REPORTER_IMAGE} AS reporter
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_TRUSTED_HOST
ARG PIP_CERT
COPY requirements.lock container/install.sh /tmp/install/
# What only measuring needs is most of the size.
RUN sh /tmp/install/install.sh numpy scipy
COPY rocm_ci /opt/rocm-ci/src/rocm_ci
COPY rules /opt/rocm-ci/src/rules
LABEL org.opencontainers.image.title="rocm-ci reporter" \
      org.opencontainers.image.description="Posts a finished rocm-ci report to GitHub; no GPU, no compiler" \
      org.opencontainers.image.source="https://github.com/org/rocm-ci" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65534:65534
ENTRYPOINT ["rocm-ci"]
CMD ["--help"]

# The last stage is what `runs.using: docker` of container/action.yml gets. It keeps the root user, as
# GitHub asks of such actions; the composite action starts it with the runner's own user instead.
FROM ${BASE_IMAGE} AS runner
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_TRUSTED_HOST
ARG PIP_CERT
# No versions: the base image chooses its release.
# hadolint ignore=DL3008
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates ccache cmake git ninja-build python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 # The checkout belongs to the runner's user, whoever we are in here.
 && git config --system --add safe.directory '*'
COPY requirements.lock container/install.sh /tmp/install/
RUN sh /tmp/install/install.sh
COPY rocm_ci /opt/rocm-ci/src/rocm_ci
COPY rules /opt/rocm-ci/src/rules
COPY examples /opt/rocm-ci/src/examples
# Where nvcc is in the image too, hipcc would choose it.
ENV HIP_PLATFORM=amd
LABEL org.opencontainers.image.title="rocm-ci runner" \
      org.opencontainers.image.description="Runs rocm-ci on a change, inside a ROCm image" \
      org.opencontainers.image.source="https://github.com/org/rocm-ci" \
      org.opencontainers.image.licenses="Apache-2.0"
ENTRYPOINT ["rocm-ci"]
CMD ["--help"]
