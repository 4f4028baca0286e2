# A slim image that serves /work to MCP clients, as a user without privileges.
#
#   docker build -t filewright .
#   docker run -i --rm -v "$PWD:/work" -u "$(id -u):$(id -g)" filewright
#
# History and journal live in /state: mount a volume there to keep them.

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
WORKDIR /src
COPY . .
# The release passes the wheel it has tested in dist/; otherwise one is built from the sources here.
RUN ls dist/*.whl 2>/dev/null \
 || { python -m venv /opt/build \
      && /opt/build/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r packaging/locks/release.txt \
      && /opt/build/bin/python -m build --no-isolation --wheel; }
RUN python -m venv /opt/filewright \
 && /opt/filewright/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r packaging/locks/runtime.txt \
 && /opt/filewright/bin/pip install --no-cache-dir --no-deps dist/*.whl \
 && /opt/filewright/bin/python -m compileall -q /opt/filewright/lib

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin filewright \
 && mkdir --mode=1777 /state \
 && mkdir --mode=0755 /work && chown filewright /work
COPY --from=build /opt/filewright /opt/filewright
ENV PATH=/opt/filewright/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    FILEWRIGHT_STATE_DIR=/state/filewright
USER filewright
WORKDIR /work
VOLUME ["/state"]
EXPOSE 8765
ENTRYPOINT ["filewright"]
CMD ["serve", "/work"]
