"""No source assumes an instruction set: what only x86-64 has stands under a condition that names it."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Headers and functions of one processor, and attributes that only its compiler takes.
OF_X86 = re.compile(r"<\w*intrin\.h>|\b_mm\d*_\w|\b__m(64|128|256|512)|__builtin_(ia32|cpu)_|\b__rdtsc|"
                    r"""\bgnu::target|target_clones\(|GCC target\(|asm\b[^;]*"(?:[^"]*)(?:%%r|rdtsc|cpuid|pause)""")
OF_ARM = re.compile(r"<arm_\w+\.h>|\bHWCAP_|\bv\w+q_[us](8|16|32|64)\(")
NAMES = {"x86-64": re.compile(r"__x86_64__|HWY_ARCH_X86|HWY_(TARGET == )?(HWY_)?AVX|HWY_SSE"),
         "aarch64": re.compile(r"__aarch64__|HWY_ARCH_ARM|HWY_NEON")}
FLAGS = re.compile(r"-m(arch|tune|cpu|avx|bmi|sse|fma)\b")


def unguarded(text):
    """(line, processor) of what stands under no condition that names its processor."""
    conditions, found = [], []
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"//.*", "", line)
        word = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", code)
        if not word:
            for processor, pattern in (("x86-64", OF_X86), ("aarch64", OF_ARM)):
                if pattern.search(code) and not any(held[processor] for held in conditions):
                    found.append((number, processor))
            continue
        kind, what = word.groups()
        negated = kind == "ifndef" or re.match(r"\s*!", what)
        holds = {name: bool(pattern.search(what)) and not negated for name, pattern in NAMES.items()}
        # What follows #else of #ifndef __x86_64__ is for x86-64.
        other = {name: bool(pattern.search(what)) and bool(negated) for name, pattern in NAMES.items()}
        if kind in ("if", "ifdef", "ifndef"):
            conditions.append({**holds, "else": other})
        elif kind == "elif":
            conditions[-1] = {**holds, "else": conditions[-1]["else"]}
        elif kind == "else":
            conditions[-1] = {**conditions[-1]["else"], "else": conditions[-1]["else"]}
        else:
            conditions.pop()
    return found


class Processors(unittest.TestCase):
    def test_what_one_processor_has_is_guarded(self):
        wrong, files = [], 0
        for folder in ("kernels", "perf", "correctness", "reference"):
            for file in sorted((ROOT / folder).rglob("*")):
                if file.suffix in (".h", ".cpp"):
                    files += 1
                    wrong += [f"{file.relative_to(ROOT)}:{line}: only {processor} has this; guard it, with another "
                              "way for other processors" for line, processor in unguarded(file.read_text())]
        self.assertGreater(files, 500)
        self.assertEqual(wrong, [])

    def test_what_stands_without_a_guard_is_found(self):
        guarded = ("#ifdef __x86_64__\n{}\n#endif\n", "#ifndef __x86_64__\n#else\n{}\n#endif\n",
                   "#if HWY_TARGET == HWY_AVX3\n#if X\n{}\n#endif\n#endif\n")
        bare = ("{}\n", "#ifdef __x86_64__\n#else\n{}\n#endif\n", "#ifndef __x86_64__\n{}\n#endif\n",
                "#ifdef __x86_64__\n#endif\n{}\n", "#ifdef __aarch64__\n{}\n#endif\n")
        for line in ("#include <immintrin.h>", "x = _mm512_add_epi64(a, b);", '#pragma GCC target("avx2")',
                     "__builtin_cpu_init();", '[[gnu::target("popcnt")]] int f();', 'asm volatile("pause");'):
            for text in guarded:
                self.assertEqual(unguarded(text.format(line)), [], text.format(line))
            for text in bare:
                self.assertEqual(len(unguarded(text.format(line))), 1, text.format(line))
        self.assertEqual(unguarded("getauxval(AT_HWCAP) & HWCAP_AES"), [(1, "aarch64")])
        self.assertEqual(unguarded("// _mm_pause()"), [])

    def test_flags_of_one_processor_are_for_it_alone(self):
        wrong = []
        for file in [ROOT / "CMakeLists.txt", *ROOT.glob("ci/cmake/*"), *ROOT.glob("*/**/CMakeLists.txt")]:
            if any(part.startswith("build") or part == "lab" for part in file.relative_to(ROOT).parts):
                continue
            lines = file.read_text().splitlines()
            for number, line in enumerate(lines):
                near = "\n".join(lines[max(0, number - 8):number])
                if FLAGS.search(line.split("#")[0]) and "CMAKE_SYSTEM_PROCESSOR" not in near:
                    wrong.append(f"{file.relative_to(ROOT)}:{number + 1}: {line.strip()}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
