#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/matrix/fixtures/formats: small matrices as other programs write them, and what is in them.

Needs numpy and scipy, which say what is in each file: expected.json has, for each file that is read, its size and its entries
as [row, column, bits of the float32]; for each that is refused a piece of the sentence. PETSc's and Rutherford-Boeing's
files are written by hand after their documentation (PETSc: MatView; Duff, Grimes and Lewis 1997), as SciPy writes neither."""
import bz2
import gzip
import io
import json
import lzma
import pathlib
import shutil
import struct
import tarfile
import zipfile

import numpy as np
import scipy.io
import scipy.sparse as sp

out = pathlib.Path(__file__).resolve().parents[1] / "matrix" / "fixtures" / "formats"
expected: dict[str, dict] = {}
refused: dict[str, str] = {}


def entries(matrix) -> dict:
    """Every stored entry, zeros among them; duplicates added up in double precision."""
    matrix = sp.coo_matrix(matrix)
    sums: dict[tuple[int, int], float] = {}
    for row, col, value in zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist()):
        sums[row, col] = sums.get((row, col), 0.0) + float(value)
    return {"rows": matrix.shape[0], "cols": matrix.shape[1],
            "entries": [[r, c, struct.unpack("<I", struct.pack("<f", np.float32(v)))[0]] for (r, c), v in sorted(sums.items())]}


def put(name: str, data: bytes, matrix=None, refusal: str = "") -> bytes:
    (out / name).write_bytes(data)
    if matrix is not None:
        expected[name] = entries(matrix)
    else:
        refused[name] = refusal
    return data


def npz(matrix, **options) -> bytes:
    buffer = io.BytesIO()
    sp.save_npz(buffer, matrix, **options)
    return buffer.getvalue()


def npy(array, **options) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def tar(members: dict, mode: str = "w:gz", form=tarfile.GNU_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(data, tuple):  # a kind without contents
                info.type, info.linkname = data
                archive.addfile(info)
            else:
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zipped(members: dict, method=zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)  # without the time of now
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def market(matrix, **options) -> bytes:
    buffer = io.BytesIO()
    scipy.io.mmwrite(buffer, matrix, **options)
    return buffer.getvalue()


def petsc(matrix, value=">f8", index=">i4") -> bytes:
    csr = sp.csr_matrix(matrix)
    head = np.array([1211216, *csr.shape, csr.nnz], index).tobytes()
    return head + np.diff(csr.indptr).astype(index).tobytes() + csr.indices.astype(index).tobytes() + csr.data.astype(value).tobytes()


def boeing(matrix, kind: str, number, form: str, right_hand_sides: int = 0) -> bytes:
    """Rutherford-Boeing, or Harwell-Boeing with right-hand sides; `number` writes a value in `form`."""
    csc = sp.csc_matrix(matrix)
    csc.sort_indices()
    symmetry = kind[1].lower()
    columns = [[(r, v) for r, v in zip(csc.indices[a:b], csc.data[a:b]) if symmetry in "ur" or r > c or (r == c and symmetry == "s")]
               for c, (a, b) in enumerate(zip(csc.indptr, csc.indptr[1:]))]
    flat = [entry for column in columns for entry in column]
    pointers = np.cumsum([1] + [len(column) for column in columns])

    def cards(fields, per_line, width):
        return ["".join(str(f).rjust(width) for f in fields[i:i + per_line]) for i in range(0, len(fields), per_line)]

    parts = [cards(pointers, 8, 10), cards([r + 1 for r, _ in flat], 8, 10)]
    per_line = int(form.split("P")[-1].lstrip("(,").split("E")[0].split("D")[0].split("F")[0].split("I")[0] or 1)
    width = int("".join(ch for ch in form.split(per_line.__str__(), 1)[1][1:] if ch.isdigit() or ch == ".").split(".")[0])
    values = [] if kind[0].lower() == "p" else cards([number(v) for _, v in flat], per_line, width)
    rhs = cards([number(1.0)] * csc.shape[0], per_line, width) if right_hand_sides else []
    lines = [f"{'A test of the workbench'.ljust(72)}{'TEST'.ljust(8)}",
             "".join(str(n).rjust(14) for n in [sum(map(len, parts)) + len(values) + len(rhs), len(parts[0]), len(parts[1]), len(values)]
                     + ([len(rhs)] if right_hand_sides else [])),
             f"{kind}{' ' * 11}" + "".join(str(n).rjust(14) for n in [*csc.shape, len(flat), 0]),
             "(8I10)".ljust(16) + "(8I10)".ljust(16) + (form.ljust(20) if values else "") + (form.ljust(20) if rhs else "")]
    if rhs:
        lines.append(f"F{' ' * 13}" + "".join(str(n).rjust(14) for n in [1, 0]))
    return ("\n".join(lines + parts[0] + parts[1] + values + rhs) + "\n").encode()


def main() -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    rng = np.random.default_rng(27)
    a = sp.random(7, 5, 0.4, "csr", np.float64, rng)
    a.data[2] = 0.0  # a stored zero stays an entry
    square = sp.random(6, 6, 0.3, "csr", np.float64, rng)
    symmetric = sp.csr_matrix(np.round((square + square.T).toarray() * 8) / 8)
    skew = sp.csr_matrix(np.round((square - square.T).toarray() * 8) / 8)
    whole = sp.csr_matrix(rng.integers(-9, 9, (4, 6)) * (rng.random((4, 6)) < 0.5))

    # SciPy
    put("csr.npz", npz(a), a)
    put("csr_stored.npz", npz(a, compressed=False), a)
    put("csc.npz", npz(a.tocsc()), a)
    coo = sp.coo_matrix((np.array([1.5, 2.25, -4.0, 0.5, 1e-9]), ([0, 0, 2, 0, 1], [1, 1, 3, 0, 2])), (3, 4))
    put("coo_duplicates.npz", npz(coo), coo)
    put("coo_array.npz", npz(sp.coo_array(a)), a)
    put("csr_array_int64.npz", npz(sp.csr_array((a.data.astype(np.float32), a.indices.astype(np.int64), a.indptr.astype(np.int64)), a.shape)),
        a.astype(np.float32))
    bsr = sp.bsr_matrix(sp.random(6, 9, 0.2, "csr", np.float64, rng), blocksize=(2, 3))
    put("bsr.npz", npz(bsr), bsr.tocsr())
    dia = sp.dia_matrix((np.array([[1.0, 2, 3, 4], [5, 6, 0, 8], [9, 10, 11, 12]]), [0, 2, -1]), (5, 6))
    put("dia.npz", npz(dia), dia.tocsr())
    put("bool.npz", npz(sp.csr_matrix(np.eye(4, 3, dtype=bool))), sp.csr_matrix(np.eye(4, 3)))
    put("empty.npz", npz(sp.csr_matrix((3, 0))), sp.csr_matrix((3, 0)))

    # NumPy
    dense = a.toarray()
    put("f8.npy", npy(dense), sp.csr_matrix(dense))
    put("f8_fortran.npy", npy(np.asfortranarray(dense)), sp.csr_matrix(dense))
    put("f4_big_endian.npy", npy(dense.astype(">f4")), sp.csr_matrix(dense.astype(np.float32)))
    halves = np.array([[0.1, -65504, 0], [6e-8, 0, 6.1e-5]], np.float16)
    put("f2.npy", npy(halves), sp.csr_matrix(halves.astype(np.float64)))
    for kind in ("i1", "<i2", ">i4", "<i8", "u1", "<u2", ">u8"):
        array = np.abs(whole.toarray()) if "u" in kind else whole.toarray()
        put(f"{kind.strip('<>')}.npy", npy(array.astype(kind)), sp.csr_matrix(array.astype(np.float64)))
    huge = np.array([[2**63 + 2**40, 0], [1, 2**64 - 1]], np.uint64)
    put("u8_huge.npy", npy(huge), sp.csr_matrix(huge.astype(np.float64)))
    put("bool.npy", npy(np.eye(3, 4, dtype=bool)), sp.csr_matrix(np.eye(3, 4)))
    put("no_rows.npy", npy(np.zeros((0, 4))), sp.csr_matrix((0, 4)))
    put("npy.npy.gz", gzip.compress(npy(dense), mtime=0), sp.csr_matrix(dense))
    buffer = io.BytesIO()
    np.savez(buffer, weights=dense)
    put("savez.npz", buffer.getvalue(), sp.csr_matrix(dense))

    # Archives
    text, other = market(a), market(np.ones((7, 1)))
    put("suite.tar.gz", tar({"suite": (tarfile.DIRTYPE, ""), "suite/suite_b.mtx": other, "suite/suite.mtx": text}), a)
    put("renamed (1).tgz", tar({"suite/suite_b.mtx": other, "suite/suite.mtx": text}), a)
    put("pax.tar", tar({"päx/päx.mtx": text, "päx/päx_x.mtx": other}, "w", tarfile.PAX_FORMAT), a)
    put("ustar.tar", tar({"x.mtx": text}, "w", tarfile.USTAR_FORMAT), a)
    put("absolute.tar", tar({"/etc/../../cant.mtx": text, "/etc/passwd": b"root\n"}, "w"), a)
    put("links.tar.gz", tar({"a.mtx": (tarfile.SYMTYPE, "/etc/passwd"), "b.mtx": (tarfile.LNKTYPE, "/etc/passwd"),
                             "c.mtx": (tarfile.FIFOTYPE, ""), "real.mtx": text}), a)
    put("only_file.tar", tar({"README": text}, "w"), a)
    put("deflated.zip", zipped({"deflated/deflated.mtx": text, "deflated/deflated_b.mtx": other, "__MACOSX/deflated/._deflated.mtx": b"\0"}), a)
    put("stored.zip", zipped({"m.mtx": text}, zipfile.ZIP_STORED), a)
    put("packed.zip", zipped({"m.mtx.gz": gzip.compress(text, mtime=0)}), a)
    put("array.zip", zipped({"m.npz.txt": b"notes", "weights.petsc": petsc(a)}), a)
    put("boeing.tar.gz", tar({"b/b.rb": boeing(a, "rua", "{:25.17E}".format, "(3E25.17)")}), a)
    put("lies.mtx", npz(a), a)  # a name that lies
    put("lies.npz", text, a)
    put("lies.zip", gzip.compress(text, mtime=0), a)

    # PETSc
    put("f8.petsc", petsc(a), a)
    put("f4.petsc", petsc(a, ">f4"), a.astype(np.float32))
    vector = np.array([1211214, 2], ">i4").tobytes() + np.ones(2, ">f8").tobytes()
    put("with_vector.petsc", petsc(a) + vector, a)
    index_set = np.array([1211218, 3, 0, 1, 2], ">i4").tobytes()
    put("with_index_set.petsc", petsc(a) + index_set + vector, a)
    put("f4_with_others.petsc", petsc(a, ">f4") + index_set + petsc(a, ">f4"), a.astype(np.float32))
    put("petsc.gz", gzip.compress(petsc(a), mtime=0), a)
    put("none.petsc", petsc(sp.csr_matrix((2, 3))), sp.csr_matrix((2, 3)))

    # Harwell-Boeing and Rutherford-Boeing
    buffer = io.StringIO()
    plain = sp.csc_matrix(square)
    scipy.io.hb_write(out / "scipy.rua", plain)
    put("scipy.rua", (out / "scipy.rua").read_bytes(), plain)
    assert (scipy.io.hb_read(out / "scipy.rua") != plain).nnz == 0
    # Its fields are narrower than its header says, with signs in the blanks between them.
    wild = sp.random(40, 41, 0.1, format="csc", random_state=3)
    wild.data = np.random.default_rng(3).standard_normal(wild.nnz) * 10.0 ** np.random.default_rng(4).integers(-120, 30, wild.nnz)
    for name, matrix in (("", -plain), ("_float32", (-plain).astype(np.float32)), ("_wild", wild), ("_one", plain[:, :1] * -1.5)):
        scipy.io.hb_write(out / f"scipy_negative{name}.rua", matrix)
        put(f"scipy_negative{name}.rua", (out / f"scipy_negative{name}.rua").read_bytes(), matrix)
    fortran = lambda v: f"{v:.16E}".replace("E", "D")
    put("d.rua", boeing(a, "RUA", fortran, "(1P,3D25.16)"), a)
    put("rectangular.rra", boeing(a, "rra", "{:25.17E}".format, "(3E25.17)"), a)
    put("f.rsa", boeing(symmetric, "RSA", "{:10.3f}".format, "(8F10.3)"), symmetric)
    put("no_point.rsa", boeing(symmetric, "RSA", lambda v: str(round(v * 1000)), "(8F10.3)"), symmetric)
    put("no_letter.rua", boeing(a, "RUA", lambda v: f"{v:.16E}".replace("E", ""), "(3E25.16)"), a)
    put("skew.rza", boeing(skew, "rza", "{:20.12E}".format, "(4E20.12)"), skew)
    put("whole.iua", boeing(whole, "iua", str, "(8I10)"), whole)
    put("right_hand_sides.rua", boeing(a, "RUA", "{:25.17E}".format, "(3E25.17)", 1), a)
    put("boeing.rb.gz", gzip.compress(boeing(a, "rua", "{:25.17E}".format, "(3E25.17)"), mtime=0), a)

    # Matrix Market as SciPy writes it
    for name, matrix, options in (("general", a, {}), ("symmetric", symmetric, {"symmetry": "symmetric"}),
                                  ("skew", skew, {"symmetry": "skew-symmetric"})):
        put(f"scipy_{name}.mtx", market(matrix, **options), matrix)
        put(f"scipy_{name}_array.mtx", market(matrix.toarray(), **options), sp.csr_matrix(matrix.toarray()))
    put("int.mtx", market(whole), whole)

    # Refused
    put("complex.npz", npz(a * 1j), refusal="complex")
    put("three_arrays.npz", (lambda b: (np.savez(b, a=dense, b=dense, c=dense), b.getvalue())[1])(io.BytesIO()), refusal="save_npz")
    put("objects.npy", npy(np.array([[None, {}]], object), allow_pickle=True), refusal="pickle")
    put("record.npy", npy(np.zeros((2, 2), [("a", "f4"), ("b", "i4")])), refusal="not read")
    put("longdouble.npy", npy(dense.astype(np.longdouble)), refusal="f16")
    put("complex.npy", npy(dense * 1j), refusal="complex")
    put("text.npy", npy(np.array([["a", "b"]])), refusal="not numbers")
    put("one.npy", npy(np.arange(4.0)), refusal="1 dimension,")
    put("three.npy", npy(np.zeros((2, 2, 2))), refusal="3 dimensions")
    put("nan.npy", npy(np.array([[1, np.nan]])), refusal="row 1, column 2 is not finite")
    put("large.npy", npy(np.array([[1, 0], [1e39, 0]])), refusal="row 2, column 1 is too large")
    put("infinite.npz", npz(sp.csr_matrix(np.array([[1, np.inf]]))), refusal="finite")
    put("short.npy", npy(dense)[:-8], refusal="promises")
    put("petsc_64.petsc", petsc(a, index=">i8"), refusal="64-bit")
    put("petsc_complex.petsc", petsc(a * 1j, ">c16"), refusal="complex")
    put("petsc_little.petsc", petsc(a, "<f8", "<i4"), refusal="little-endian")
    put("petsc_vector.petsc", vector, refusal="vector")
    put("petsc_dense.petsc", np.array([1211216, 2, 2, -1], ">i4").tobytes() + np.ones(4, ">f8").tobytes(), refusal="MatConvert")
    put("petsc_complex_others.petsc", petsc(a * 1j, ">c16") + index_set, refusal="complex")
    put("petsc_complex_cut.petsc", petsc(a * 1j, ">c16")[:-8], refusal="is unknown")
    put("petsc_then_what.petsc", petsc(a) + b"not of PETSc", refusal="is unknown")
    put("petsc_f4_then_what.petsc", petsc(a, ">f4") + b"not of PETSc" * 99, refusal="is unknown")
    # Values of 4 bytes and a vector, or of 8 bytes that have it in them: both reach the end.
    two = np.array([1211216, 1, 2, 2, 2, 0, 1], ">i4").tobytes()
    put("petsc_ambiguous.petsc", two + np.ones(2, ">f4").tobytes() + np.array([1211218, 0], ">i4").tobytes(), refusal="more than one size")
    put("petsc_short.petsc", petsc(a)[:-12], refusal="truncated")
    put("complex.cua", boeing(a, "cua", "{:25.17E}".format, "(3E25.17)"), refusal="complex")
    put("elements.rse", boeing(symmetric, "rse", "{:25.17E}".format, "(3E25.17)"), refusal="not assembled")
    put("short.rua", boeing(a, "rua", "{:25.17E}".format, "(3E25.17)")[:-30], refusal="ends early")
    put("cut_number.rua", boeing(a, "rua", "{:25.17E}".format, "(3E25.17)")[:-12], refusal="within a number")
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"Problem": {"A": a.tocsc(), "name": "HB/test"}})
    put("suite.mat", buffer.getvalue(), refusal="scipy.io")
    put("two.tar.gz", tar({"a.mtx": text, "b.mtx": text}), refusal="tar -xf")
    put("two.zip", zipped({"x/a.mtx": text, "x/b.mtx": text}), refusal="unzip")
    put("only_links.tar.gz", tar({"a.mtx": (tarfile.SYMTYPE, "/etc/passwd")}), refusal="holds no file")
    put("no_matrix.zip", zipped({"a.txt": b"1", "b.txt": b"2"}), refusal="the extension of a matrix file")
    put("cut.tar.gz", tar({"m/m.mtx": text * 50})[:-40], refusal="truncated")
    put("cut.zip", zipped({"m.mtx": text})[:-30], refusal="damaged")
    put("nested.zip", zipped({"m.mtx": zipped({"m.mtx": text})}), refusal="archive in an archive")
    put("lzma.zip", zipped({"m.mtx": text}, zipfile.ZIP_LZMA), refusal="Unpack it")
    put("bzip2.zip", zipped({"m.mtx": text}, zipfile.ZIP_BZIP2), refusal="Unpack it")
    encrypted = bytearray(zipped({"m.mtx": text}, zipfile.ZIP_STORED))
    for at in (6, encrypted.index(b"PK\x01\x02") + 8):  # the flag in both headers
        encrypted[at] |= 1
    put("encrypted.zip", bytes(encrypted), refusal="encrypted")
    wrong = bytearray(zipped({"m.mtx": text}, zipfile.ZIP_STORED))
    at = wrong.index(b"7 5")
    wrong[at] = ord("8")
    put("checksum.zip", bytes(wrong), refusal="damaged")
    put("m.mtx.bz2", bz2.compress(text), refusal="bunzip2 -k")
    put("m.mtx.xz", lzma.compress(text), refusal="unxz -k")
    (out / "expected.json").write_text(json.dumps({"read": expected, "refused": refused}, indent=None, separators=(",", ":")).replace('"},"', '"},\n"').replace('},"', '},\n"') + "\n")
    print(f"{out}: {len(expected)} that are read, {len(refused)} that are refused")


if __name__ == "__main__":
    main()
