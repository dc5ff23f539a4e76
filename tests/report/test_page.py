"""The HTML report in a real browser: python3 test_page.py LOCKSTEP. It is opened, filtered and clicked through; what
screenshots show is looked at; hostile names and sources are only shown; a report of 10,000 findings stays light.
Ends with status 77 (skipped) where there is no Chromium."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import browser

SOURCE = """// A tile without padding, and a sum without barriers.
__global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void sum(int *out, const int *in) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x * 8]; // </script><img src=x onerror=alert(1)>
    for (int d = 32; d > 0; d /= 2)
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    out[threadIdx.x] = s[0];
}
void launch(float *a, float *b, int *c, int *d) {
    turn<<<1, dim3(32, 32)>>>(a, b);
    sum<<<1, 64>>>(c, d);
}
"""
HOSTILE = "<img src=x onerror=\"document.title='broken'\"></script><script>document.title='broken'</script>"


def report(lockstep, folder, name, *options):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(SOURCE)
    page = os.path.join(folder, "page.html")
    subprocess.run([lockstep, *options, "--config", "none", "--format", "html", "-o", page, name], cwd=folder,
                   check=False)
    return page


def pixels(path):
    """Rows of (red, green, blue) of a PNG as the browser writes it."""
    data = open(path, "rb").read()
    width, height, _, kind = struct.unpack(">IIBB", data[16:26])
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, size = zlib.decompress(packed), {2: 3, 6: 4}[kind]
    rows, before, stride = [], bytearray(width * size), width * size
    for y in range(height):
        start = y * (stride + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            a, b = line[i - size] if i >= size else 0, before[i]
            c = before[i - size] if i >= size else 0
            if how == 1:
                line[i] = line[i] + a & 255
            elif how == 2:
                line[i] = line[i] + b & 255
            elif how == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            elif how == 4:
                p = a + b - c
                best = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
                line[i] = line[i] + best[2] & 255
        rows.append(line)
        before = line
    return [tuple(row[i:i + 3]) for row in rows for i in range(0, stride, size)]


def brightness(points):
    return sum(sum(p) for p in points[::97]) / 3 / len(points[::97])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def look_around(b, page, folder):
    b.open(page)
    check(int(b.run("document.documentElement.dataset.ready")) >= 3, "the page is not ready")
    check(b.run("document.querySelectorAll('.row').length") >= 3, "no rows")
    check(b.run("document.querySelectorAll('.ln').length") >= SOURCE.count("\n"), "the source is not shown whole")
    b.run("[...document.querySelectorAll('.row')].find(r => r.textContent.includes('bank-conflict')).click()")
    check(b.run("document.querySelectorAll('.card .body svg .bad').length") > 20, "the conflict is not drawn")
    b.run("[...document.querySelectorAll('.row')].find(r => r.textContent.includes('race.shared')).click()")
    check("thread" in b.run("document.querySelector('.card.error .body').textContent"), "no story")
    check(b.run("document.querySelectorAll('svg .clash').length") == 1, "no timeline")
    shot = os.path.join(folder, "shot.png")
    b.shot(shot)
    light = pixels(shot)
    check(brightness(light) > 200, "the light page is not light")
    check(any(r > 180 and g < 90 and bl < 90 for r, g, bl in light), "no red on the page with an error")
    b.key("t")
    b.shot(shot)
    check(brightness(pixels(shot)) < 80, "the dark page is not dark")
    b.key("t")


def filters(b, page):
    b.open(page)
    count = "document.querySelectorAll('.row').length"
    every = b.run(count)
    b.run("{ const s = document.querySelector('select[aria-label=rule]'); s.value = 'race.shared'; "
          "s.dispatchEvent(new Event('change')); }")
    check(0 < b.run(count) < every, "the rule does not filter")
    b.run("{ const s = document.querySelector('select[aria-label=rule]'); s.value = ''; "
          "s.dispatchEvent(new Event('change')); }")
    b.key("/")
    for letter in "bank":
        b.key(letter)
    check(0 < b.run(count) < every, "the search does not filter")
    b.run("document.activeElement.blur()")
    b.run("{ const s = document.querySelector('input'); s.value = 'nothing like this'; "
          "s.dispatchEvent(new Event('input')); }")
    check("Nothing matches" in b.run("document.querySelector('.list').textContent"), "nothing is not said")
    b.run("{ const s = document.querySelector('input'); s.value = ''; s.dispatchEvent(new Event('input')); }")
    b.key("1")
    check(b.run("document.querySelectorAll('.row .dot.error').length") == 0, "errors are still there")
    b.key("1")
    b.key("j")
    b.key("j")
    check(b.run("document.querySelectorAll('.row[aria-current=true]').length") == 1, "keys do not pick")
    b.key("h")
    check(b.run("document.querySelectorAll('.tile').length") == 6, "no overview")


def narrow(b, page, folder):
    b.size(390, 844)
    b.open(page)
    check(b.run("document.documentElement.scrollWidth") <= 390, "the page is wider than a phone")
    b.shot(os.path.join(folder, "phone.png"))
    check(len(set(pixels(os.path.join(folder, "phone.png"))[::53])) > 8, "the page is blank on a phone")
    b.size(1280, 900)


def hostile(b, lockstep, folder):
    """Names and texts with markup in them, from the command itself and in every text of the data."""
    page = report(lockstep, folder, "<img src=x onerror=alert(1)>.cu", "check")
    text = open(page).read()
    check(text.count("<script") == 2 and "<img" not in text.split("<script>")[0], "markup of the source got out")
    b.open(page)
    check(b.run("document.querySelectorAll('img, iframe, object').length") == 0, "markup became elements")
    start = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])

    def spoil(value, key=""):
        if isinstance(value, dict):
            return {k: spoil(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoil(v, key) for v in value]
        fixed = key in ("rule", "level", "verdict", "file", "path", "name")
        return value + HOSTILE if isinstance(value, str) and not fixed else value

    data = spoil(data)
    spoiled = json.dumps(data).replace("<", "\\u003c")
    with open(page, "w") as file:
        file.write(text[:start] + spoiled + text[end:])
    b.open(page)
    b.run("[...document.querySelectorAll('.row')].forEach(r => r.isConnected && r.click())")
    b.key("h")
    check(b.run("document.title") == "Lockstep report", "a script of the data ran")
    check(b.run("document.querySelectorAll('img').length") == 0, "markup of the data became elements")
    blocked = b.run("new Promise(done => { const s = document.createElement('script'); "
                    "s.textContent = 'window.injected = 1'; document.body.append(s); "
                    "setTimeout(() => done(window.injected), 50); })")
    check(blocked is None, "the policy lets other scripts run")
    b.problems = [p for p in b.problems if "Content Security Policy" not in p]


def memory_and_change(b, lockstep, folder):
    """The memory of a run with what was found in it, the values of a race, and `allocate` before and after."""
    page = report(lockstep, folder, "run.cu", "run", "--profile", "-k", "sum", "-a", "out=i32[64]=zero", "-a", "in=i32[100]=iota")
    b.open(page)
    check(b.run("document.querySelector('.card.kernel button').click(); document.querySelector('svg[aria-label=\"the memory of the launch\"]').textContent")
          .startswith("outglobal, s32[64], 256 bytes"), "the memory is drawn")
    check("instructions" in b.run("document.querySelector('select[aria-label=heat]').textContent"), "the profile is there")
    b.open(report(lockstep, folder, "race.cu", "check", "-k", "sum"))
    check("threadIdx.x = " in b.run("document.querySelector('svg[aria-label=\"timeline of the two threads\"]').textContent"),
          "the threads of a race have their indices")
    ptx, page = os.path.join(folder, "k.ptx"), os.path.join(folder, "change.html")
    with open(ptx, "w") as file:
        subprocess.run([lockstep, "ptx", "race.cu"], cwd=folder, stdout=file, check=True)
    subprocess.run([lockstep, "allocate", "-n", "8", "-o", os.path.join(folder, "o.ptx"), "--html", page, ptx],
                   stdout=subprocess.DEVNULL, check=False)
    b.open(page)
    text = b.run("document.querySelector('.start').innerText")
    check("registers wanted at once" in text and "null" not in text and "undefined" not in text, "before and after")
    check(b.run("document.querySelectorAll('.side .new').length") > 0, "changed lines are marked")
    check(b.run("getComputedStyle(document.querySelector('nav')).display") == "none", "there are no findings to list")


def paper(b, page):
    b.open(page)
    before = b.run("document.querySelector('.view').innerText")
    findings = int(b.run("document.documentElement.dataset.ready"))
    b.run("dispatchEvent(new Event('beforeprint'))")
    check(b.run("new Set([...document.querySelectorAll('.card[data-id] .body')].map(x => x.closest('.card').dataset.id)).size")
          == findings, "not every finding is printed whole")
    check("s[threadIdx.x] +=" in b.run("document.querySelector('.view').innerText"), "no source on paper")
    b.run("dispatchEvent(new Event('afterprint'))")
    check(b.run("document.querySelector('.view').innerText") == before, "the page is not as it was before printing")


def many(b, page, folder):
    text = open(page).read()
    start = text.index('id="data">') + len('id="data">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])
    kernel = data["report"]["files"][0]["kernels"][0]
    one = kernel["findings"][0]
    kernel["findings"] = [dict(one, line=1 + i % 12, message="finding %d" % i) for i in range(10000)]
    large = os.path.join(folder, "large.html")
    with open(large, "w") as file:
        file.write(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[end:])
    b.open(large)
    check(int(b.run("document.documentElement.dataset.ready")) >= 10000, "not all are there")
    check(b.run("document.querySelectorAll('.row').length") < 60, "rows that cannot be seen are there")
    b.run("document.querySelector('.list').scrollTop = 400000")
    b.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    check(b.run("document.querySelectorAll('.row').length") < 60, "rows that cannot be seen are there")
    check(b.run("document.querySelectorAll('*').length") < 20000, "the page is too heavy")


def main():
    if not browser.find():
        print("skipped: there is no Chromium")
        return 77
    lockstep = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="lockstep-page-") as folder:
        page = report(lockstep, folder, "tile.cu", "check")
        b = browser.Browser()
        try:
            look_around(b, page, folder)
            filters(b, page)
            narrow(b, page, folder)
            paper(b, page)
            many(b, page, folder)
            memory_and_change(b, lockstep, folder)
            profile = report(lockstep, folder, "tile.cu", "run", "--profile")
            b.open(profile)
            check("instructions" in b.run("document.body.textContent"), "no profile")
            check(not b.problems, "\n".join(b.problems))
            hostile(b, lockstep, folder)
            check(not b.problems, "\n".join(b.problems))
        finally:
            b.close()
    print("the page is as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
