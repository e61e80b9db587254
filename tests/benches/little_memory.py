"""Draws inside of control groups with little memory, and tells what became of it.

    python little_memory.py HEADROOM MODEL [--limits 1 2 4 8] [--hog] [options of `headroom generate`]

Linux as root. Every run must end with a picture, refused before it loads anything, or, beside a program that takes
memory while it draws (`--hog`), stopped by the guard: never by the kernel. Exit code 1 where one did not.
"""

import argparse, json, os, subprocess, sys, tempfile, threading, time
from pathlib import Path

GIB, MIB = 1 << 30, 1 << 20
ROOT = Path("/sys/fs/cgroup")
# Takes memory and holds it: so many MiB every tenth of a second, to the end of what its group has left and beyond.
HOG = "import sys, time\nheld = []\nwhile True:\n    held.append(bytearray(int(sys.argv[1]) << 20)); time.sleep(0.1)"


class Group:
    """A control group of memory, of either version."""

    def __init__(self, name, limit):
        self.unified = (ROOT / "cgroup.controllers").exists()
        self.path = (ROOT if self.unified else ROOT / "memory") / name
        self.path.mkdir(exist_ok=True)
        names = ("memory.max", "memory.peak") if self.unified else ("memory.limit_in_bytes", "memory.max_usage_in_bytes")
        self.limit, self.most = (self.path / name for name in names)
        self.limit.write_text(str(limit))
        if not self.unified:
            self.most.write_text("0")

    def join(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def killed(self):
        events = self.path / ("memory.events" if self.unified else "memory.oom_control")
        return sum(int(line.split()[1]) for line in events.read_text().splitlines() if line.startswith("oom_kill "))

    def close(self):
        for _ in range(50):
            try:
                return self.path.rmdir()
            except OSError:
                time.sleep(0.1)


def listen(run):
    said.extend(run.stderr)


def hog(group, run, seconds):
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        hogs.append(subprocess.Popen([sys.executable, "-c", HOG, "16"], preexec_fn=group.join))


OUTCOMES = {0: "drawn", 3: "refused", 6: "stopped by the guard"}
said, hogs = [], []


def main():
    args = argparse.ArgumentParser()
    args.add_argument("program")
    args.add_argument("model")
    args.add_argument("--limits", type=float, nargs="+", default=[1, 2, 4, 8], help="in GiB")
    args.add_argument("--hog", type=float, default=0, metavar="SECONDS", help="after so many seconds something else takes memory")
    args, rest = args.parse_known_args()
    bad = 0
    print("  limit  outcome               tier, decode       predicted     ledger  group's most  kills  seconds")
    for limit in args.limits:
        group = Group(f"headroom-{os.getpid()}", int(limit * GIB))
        said.clear(), hogs.clear()
        with tempfile.TemporaryDirectory() as folder:
            command = [args.program, "generate", "--model", args.model, "-p", "a fox", "--seed", "1", "--json", "-o", folder, *rest]
            start = time.time()
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=group.join)
            threads = [threading.Thread(target=listen, args=(run,))]
            if args.hog:
                threads.append(threading.Thread(target=hog, args=(group, run, args.hog)))
            for thread in threads:
                thread.start()
            told = run.stdout.read()
            code = run.wait()
            for thread in threads:
                thread.join()
        for one in hogs:
            one.kill(), one.wait()
        report = json.loads(told) if told.strip() else {}
        plan = report.get("plan", report if "phases" in report else {})
        way = f"{plan.get('tier', '?')}, {plan.get('decode', '?')}"
        predicted = (plan.get("peak") or {}).get("host") or 0
        ledger = (report.get("measured") or {}).get("ledger_peak") or 0
        most, kills = int(group.most.read_text()), group.killed()
        # A hog may well be what the kernel ends.
        well = code in (OUTCOMES if args.hog else (0, 3)) and (args.hog or kills == 0)
        bad += not well
        print(
            f"{limit:4g} GiB  {OUTCOMES.get(code, f'exit code {code}'):20}  {way:17}  {predicted / MIB:8.1f} M"
            f"  {ledger / MIB:7.1f} M  {most / MIB:10.1f} M  {kills:5}  {time.time() - start:7.0f}{'' if well else '  !'}", flush=True)
        if code != 0:
            print("        " + " ".join(line.strip() for line in said if line.strip())[-300:])
        group.close()
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
