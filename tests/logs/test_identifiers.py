"""Identifiers in lines as systems write them."""

import pytest

from filewright.logs.identifiers import find_all_identifiers, find_identifiers

UUID = "7f3d2c1b-aaaa-4bbb-8ccc-123456789abc"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"

LINES = {
    "nginx access": (
        '10.1.2.3 - - [12/May/2026:10:51:00 +0000] "GET /api/orders/771238?x=1 '
        'HTTP/1.1" 504 53421 "-" "Mozilla/5.0 (X11; Linux x86_64) '
        f'AppleWebKit/537.36" rt=30.001 req={TRACE}',
        ["orders 771238", TRACE],
    ),
    "nginx error": (
        "2026/05/12 10:51:00 [error] 31337#31337: *9041723 upstream timed out "
        "(110: Connection timed out), client: 10.2.3.4, upstream: "
        '"http://10.0.0.7:8080/cart"',
        ["9041723"],
    ),
    "syslog": (
        "May 12 10:51:00 web-1 sshd[24817]: Accepted publickey for deploy from "
        "10.9.8.7 port 51734 ssh2: ED25519 SHA256:kq2M0p9xZ7",
        ["sshd 24817"],
    ),
    "Kubernetes": (
        "May 12 10:51:00 node-3 kubelet[1234]: E0512 10:51:00.123456    1234 "
        f'pod_workers.go:190] Error syncing pod {UUID} "checkout-7d9f8b6c5d-x2k4p"',
        [UUID, "checkout-7d9f8b6c5d-x2k4p"],
    ),
    "Java with MDC": (
        f"2026-05-12 10:51:00.123  INFO [checkout,{TRACE},{SPAN}] 12345 --- "
        "[nio-8080-exec-10] c.e.shop.OrderService : order ORD-2026-000123 "
        "placed in 1532 ms by user 40117",
        [TRACE, SPAN, "ORD-2026-000123", "user 40117"],
    ),
    "Python": (
        "2026-05-12 10:51:00,123 ERROR worker-17 celery.app.trace: Task "
        f"shop.tasks.pay[{UUID}] raised: TimeoutError(30) after 30012ms",
        [UUID],
    ),
    "AWS Lambda": (
        f"REPORT RequestId: {UUID} Duration: 30030.12 ms Billed Duration: 30000 "
        "ms Memory Size: 512 MB Max Memory Used: 10240 KB XRAY TraceId: "
        "1-58406520-a006649127e371903a2de979 SegmentId: 59a6c0d9e2b1f3a4",
        [UUID, "a006649127e371903a2de979", "59a6c0d9e2b1f3a4"],
    ),
    "ARN": (
        f"arn:aws:lambda:us-east-1:123456789012:function:pay requestID={UUID}",
        [UUID],
    ),
    "Postgres": (
        "2026-05-12 10:51:00.123 UTC [28114] app@shop ERROR:  deadlock detected "
        "SQLSTATE 40P01; waits for ShareLock on transaction 90417123",
        ["28114", "transaction 90417123"],
    ),
    "logfmt": (
        "level=error ts=2026-05-12T10:51:00Z caller=server.go:1234 "
        "order_id=771238 size=1048576 duration=1m30.5s trace_id=abcdef0123456789 "
        "port=54321 version=1.22.333",
        ["order_id 771238", "abcdef0123456789"],
    ),
    "W3C": (
        f"traceparent: 00-{TRACE}-{SPAN}-01 tracestate: es=s:1",
        [TRACE, SPAN],
    ),
    "OpenTelemetry": (
        '{"timestamp":1795861230125,"body":"failed for order o-55812","traceId":'
        f'"{TRACE}","spanId":"{SPAN}","resource":{{"service.instance.id":"{UUID}",'
        '"host.name":"ip-10-0-3-77"}}',
        [TRACE],
    ),
    "Google Cloud": (
        '{"message":"x","logging.googleapis.com/trace":"projects/p/traces/'
        f'{TRACE}","httpRequest":{{"latency":"30012ms","requestSize":"53421"}}}}',
        [TRACE],
    ),
    "JSON without a trace": (
        '{"msg":"deploy of c-3157 finished","build":{"id":"build-4471"},'
        '"host":"ci-12345","customer":40117,"took":99999,"ok":true}',
        ["c-3157", "build-4471", "customer 40117"],
    ),
    "LDAP": (
        "[pid 1234] [tid 139872348923] conn=0x7f8a3c001234 fd=12 op=3 etime=12345",
        ["tid 139872348923", "0x7f8a3c001234"],
    ),
    "kernel": (
        "kernel: [123456.789012] eth0: link up, 10000 Mbps; docker0: port "
        "1(veth12ab34c) MAC=02:42:ac:11:00:02",
        ["veth12ab34c"],
    ),
    "names of things": (
        "start req_8fKd92hs pay_3Nx92L i-0abcd1234ef567890 x7f9ka commit a1b2c3d "
        "(job #90417), session:s_99211",
        [
            "req_8fKd92hs",
            "pay_3Nx92L",
            "0abcd1234ef567890",
            "x7f9ka",
            "a1b2c3d",
            "job 90417",
            "s_99211",
        ],
    ),
    "Hadoop": (
        "2015-10-18 18:01:47,978 INFO task_1445144423722_0020_m_000004 wrote "
        "blk_-1608999687919862906 and blk_1073743512_2731 of part-00318",
        [
            "task_1445144423722_0020_m_000004",
            "blk_-1608999687919862906",
            "blk_1073743512_2731",
            "part-00318",
        ],
    ),
    "ZooKeeper": (
        "2015-07-29 17:41:44,747 - INFO [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181] "
        "- Established session 0x14ed93111f20005 with timeout 10000",
        ["0x14ed93111f20005"],
    ),
    "OpenStack": (
        f"nova-api.log 2017-05-16 00:00:00.008 25746 INFO [req-{UUID} {TRACE} - -] "
        '10.11.10.1 "GET /v2/servers HTTP/1.1" len: 17893 time: 0.2477829',
        [UUID, TRACE],
    ),
    "no names": (
        "storage142 an681 0x80004005 240Distance rdd_42 KERNREC 1131499523 "
        "calvisitor-10-105-162-105 db.example.com:52368 "
        "http2 k8s i18n utf8mb4 x86_64 sha256 base64url 150ms 16384KB 1m30s "
        "java17 us-east-1a ip-10-0-3-77 thread-1234 app-2026-11-01 HTTP/1.1 "
        "backup-20260512 v1234 10.0.0.1:54321 fail2ban.actions "
        "user12345@example.com com.shop.Cart1234",
        [],
    ),
    "measures": (
        "processed 123456 rows, wrote 99999 bytes, retry in 30000, line 12345, "
        "listening on :54321, at 1795861230, day 20260512, 12345.67 of 99999, "
        "id 00000000-0000-0000-0000-000000000000, loss 0000000000000000",
        [],
    ),
}


@pytest.mark.parametrize(("line", "labels"), LINES.values(), ids=LINES)
def test_identifiers(line: str, labels: list[str]) -> None:
    assert [found.label for found in find_identifiers(line)] == labels


def test_a_trace_hides_other_identifiers() -> None:
    line = '{"trace":{"id":"bc6887782b491044","span":895310},"order":"o-4471"}'
    (trace,) = find_identifiers(line)
    assert trace.is_trace
    assert len(find_all_identifiers(line)) == 3


@pytest.mark.parametrize(
    ("line", "is_in"),
    [
        ("read job #90417", True),
        ("jobs/90417 done", True),
        ('{"job_id": 90417}', True),
        ("id=90417", True),
        ("customer 90417", False),
        ("200 90417", False),
        ("read 90417 bytes", False),
    ],
)
def test_numbers_of_other_things(line: str, is_in: bool) -> None:
    (job,) = find_identifiers("waits for job 90417")
    assert job.is_in(line) is is_in


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        (
            '{"orders":[{"id":"o-4711"},{"id":77123}]}',
            ["o-4711", "orders id 77123"],
        ),
        ('{"order_ids":["o-4711","o-4712"]}', ["o-4711", "o-4712"]),
        ('{"a":' * 900 + '"o-4711"' + "}" * 900, []),
        ('{"id":null,"trace":true,"job":1.5}', []),
        ('{"id": "o-4711"', ["o-4711"]),
    ],
    ids=["objects", "texts", "deep", "other types", "no JSON"],
)
def test_fields(line: str, labels: list[str]) -> None:
    assert [found.label for found in find_identifiers(line)] == labels


def test_parts_of_words() -> None:
    (request,) = find_identifiers("request r-7712")
    assert request.is_in("[r-7712]")
    assert not request.is_in("r-77123")
