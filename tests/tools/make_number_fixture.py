#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/matrix/fixtures/numbers.txt: texts of numbers and the double that Python's float() makes of them.

float() rounds correctly for any length, and is not our code. Each line is TEXT BITS, the bits in
hexadecimal, or TEXT "refused" where the reader must not take the text as a finite number."""
import pathlib
import random
import struct
from fractions import Fraction


def decimal(value: Fraction) -> str:
    """All digits of a fraction whose denominator is a power of two."""
    power = value.denominator.bit_length() - 1
    digits = str(value.numerator * 5**power)
    if power == 0:
        return digits
    digits = digits.rjust(power + 1, "0")
    return digits[:-power] + "." + digits[-power:]


def midpoint(value: float) -> Fraction:
    """Halfway to the next double."""
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    after = struct.unpack("<d", struct.pack("<Q", bits + 1))[0]
    return (Fraction(value) + Fraction(after)) / 2


def last_digit_up(text: str) -> str:
    return text + "1" if "." in text else text + ".0001"


def main() -> None:
    rng = random.Random(27)
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
    texts = ["1" + "0" * 400 + "e-405", "1" + "0" * 400 + "e-5", "-1" + "0" * 400 + "e-400", "0." + "0" * 400 + "1e401",
             "0." + "0" * 400 + "1e5", "-0." + "0" * 400 + "1", "1" + "0" * 308, "1" + "0" * 309, "0" * 500 + "7",
             "0" * 500 + ".5", "0e99999999999999999999", "-0e-99999999999999999999", "1e99999999999999999999",
             "-1e-99999999999999999999", "1e" + "0" * 300 + "5", "1e-" + "0" * 300 + "5", "1e+07", "+1e+5", "2.5e-324",
             "2.4e-324", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623158e308",
             "1.7976931348623159e308", "17976931348623157" + "0" * 292, "1." + "9" * 800, "." + "3" * 700,
             "9" * 700 + "e-700", "1" + "0" * 1500 + "e-1500", "1." + "0" * 1500 + "e5"]
    for _ in range(30):  # long numbers, the exponent of which brings them back
        whole, part = rng.randint(0, 450), rng.randint(0, 450)
        texts.append(rng.choice(["", "-", "+"]) + digits(whole) + "." + digits(part + 1)
                     + rng.choice("eE") + str(rng.randint(-900, 400)))
    for _ in range(20):
        n = rng.randint(300, 500)
        texts.append(digits(n) + f"e{rng.randint(-n - 320, -n + 300)}")
    for _ in range(12):  # halfway, where the last of hundreds of digits decides
        value = rng.uniform(1, 2) * 2.0 ** rng.randint(-300, 300)
        half = decimal(midpoint(value))
        texts += [half, last_digit_up(half)]
    refused = ["1e", "1e+", "1e-", "0x", "0x10", "0x1p3", ".", "-", "+", "-.", "e5", ".e5", "++1", "+-1", "--1", "1..2",
               "nan", "-nan", "NaN", "nan(1)", "inf", "-inf", "+inf", "infinity", "1_000", "1,5", "1e5.5"]
    lines = []
    for text in texts:
        value = float(text)
        if value in (float("inf"), float("-inf")):
            lines.append(f"{text} refused")
        else:
            lines.append(f"{text} {struct.unpack('<Q', struct.pack('<d', value))[0]:016x}")
    lines += [f"{text} refused" for text in refused]
    path = pathlib.Path(__file__).resolve().parents[1] / "matrix" / "fixtures" / "numbers.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines)} numbers")


if __name__ == "__main__":
    main()
