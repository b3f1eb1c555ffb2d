// SPDX-License-Identifier: Apache-2.0
// Every function of cuda_fp16.h and cuda_bf16.h: what the compiler makes of it for compute_80 passes the
// gate. (What the forms compute is held against independent values by tst_device_opcode_cases.)
#include "base/files.h"
#include "compile/program_compiler.h"

#include <QRegularExpression>
#include <QTest>
#include <memory>

using namespace sparserl;
using namespace Qt::StringLiterals;

namespace {

/// A function as the header declares it.
struct Declared
{
    QString result, name;
    QStringList arguments; ///< Types, without names.
    bool operator==(const Declared&) const = default;
};

QList<Declared> declaredIn(const std::filesystem::path& header)
{
    const auto text = readFile(header);
    if (!text)
        return {};
    QString code = QString::fromStdString(*text);
    code.remove(
        QRegularExpression(uR"(/\*.*?\*/|//[^\n]*)"_s, QRegularExpression::DotMatchesEverythingOption));
    code.remove(QRegularExpression(uR"(__CUDA_\w*DEPRECATED__\([^;]*?\)\))"_s));
    static const QRegularExpression function(
        uR"(^\s*__CUDA_(?:HOSTDEVICE_)?(?:FP16|BF16)_DECL__\s+([\w\s]+?)\s*\b(\w+)\(([^;{}()]*)\)\s*;)"_s,
        QRegularExpression::MultilineOption);
    static const QRegularExpression name(uR"(\b[A-Za-z_]\w*\s*$)"_s), defaults(uR"(=.*)"_s);
    QList<Declared> found;
    for (auto all = function.globalMatch(code); all.hasNext();) {
        const auto match = all.next();
        Declared one{match.captured(1).simplified(), match.captured(2), {}};
        for (QString argument : match.captured(3).split(u',')) {
            argument = argument.remove(defaults).simplified();
            if (argument != "void"_L1 && !argument.isEmpty())
                one.arguments.append(argument.remove(name).simplified());
        }
        found.append(one);
    }
    return found;
}

/// A kernel that calls it with what it is given and keeps what comes back.
QString kernelOf(const Declared& one, int number)
{
    QStringList parameters, values;
    for (int i = 0; i < one.arguments.size(); ++i) {
        QString type = one.arguments[i];
        if (type.contains(u'*')) {
            const bool reads = type.section(u'*', 0, 0).contains("const"_L1);
            type = type.section(u'*', 0, 0).remove("const"_L1).simplified();
            parameters << u"%1%2* a%3"_s.arg(reads ? u"const "_s : QString(), type).arg(i);
            values << u"a%1 + i"_s.arg(i);
        } else if (one.name.startsWith("__shfl"_L1) && i == 0) {
            values << u"0xffffffffu"_s;
        } else {
            parameters << u"const %1* a%2"_s.arg(type.remove("const"_L1).simplified()).arg(i);
            values << u"a%1[i]"_s.arg(i);
        }
    }
    QString body = u"%1(%2);"_s.arg(one.name, values.join(", "_L1));
    if (one.result != "void"_L1) {
        parameters << one.result + "* r"_L1;
        body = "r[i] = "_L1 + body;
    }
    return u"extern \"C\" __global__ void k%1(%2) { int i = threadIdx.x; %3 }\n"_s.arg(number).arg(
        parameters.join(", "_L1), body);
}

} // namespace

class HalfIntrinsicsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void functions_data();
    void functions();
    void operators_data();
    void operators();

private:
    /// The sentence where a program with these kernels is refused.
    std::string refused(const std::string& code, const std::vector<std::string>& kernels);
    std::unique_ptr<ProgramCompiler> m_compiler;
};

void HalfIntrinsicsTest::initTestCase()
{
    auto compiler = ProgramCompiler::create();
    QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
    m_compiler = std::make_unique<ProgramCompiler>(std::move(*compiler));
}

std::string HalfIntrinsicsTest::refused(const std::string& code, const std::vector<std::string>& kernels)
{
    const auto answer = m_compiler->compile({code, {}, kernels, "sm_90", false});
    if (!answer)
        return answer.error().sentence();
    return *answer ? std::string() : answer->error().message + "\n" + answer->error().log;
}

void HalfIntrinsicsTest::functions_data()
{
    QTest::addColumn<QString>("header");
    QTest::addColumn<int>("atLeast");
    QTest::newRow("fp16") << u"cuda_fp16.h"_s << 225;
    QTest::newRow("bf16") << u"cuda_bf16.h"_s << 225;
}

void HalfIntrinsicsTest::functions()
{
    QFETCH(QString, header);
    QFETCH(int, atLeast);
    const auto folder = m_compiler->nvrtc().path().parent_path().parent_path() / "include";
    const QList<Declared> all = declaredIn(folder / header.toStdString());
    if (all.isEmpty())
        QSKIP(qPrintable(header + " is not installed"_L1));
    // Shuffles without a mask ended with compute_70.
    static const QStringList gone{u"__shfl"_s, u"__shfl_up"_s, u"__shfl_down"_s, u"__shfl_xor"_s};
    int passed = 0;
    std::string wrong;
    constexpr qsizetype together = 24; // kernels of a program, so that a failure names few
    for (qsizetype at = 0; at < all.size(); at += together) {
        QString code = "#include <"_L1 + header + ">\n"_L1, names;
        std::vector<std::string> kernels;
        for (qsizetype i = at; i < std::min(at + together, all.size()); ++i) {
            if (gone.contains(all[i].name))
                continue;
            code += kernelOf(all[i], static_cast<int>(i));
            names += all[i].name + " "_L1;
            kernels.push_back("k" + std::to_string(i));
        }
        if (const std::string why = refused(code.toStdString(), kernels); !why.empty())
            wrong += names.toStdString() + ": " + why + "\n";
        passed += static_cast<int>(kernels.size());
    }
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY2(passed >= atLeast, qPrintable(QString::number(passed)));
}

void HalfIntrinsicsTest::operators_data()
{
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("one");
    QTest::addColumn<QString>("two");
    QTest::newRow("fp16") << u"cuda_fp16.h"_s << u"__half"_s << u"__half2"_s;
    QTest::newRow("bf16") << u"cuda_bf16.h"_s << u"__nv_bfloat16"_s << u"__nv_bfloat162"_s;
}

/// Operators, constructors and conversions of the types, which the headers do not declare as functions.
void HalfIntrinsicsTest::operators()
{
    QFETCH(QString, header);
    QFETCH(QString, one);
    QFETCH(QString, two);
    QString code = u"#include <%1>\ntypedef %2 H;\ntypedef %3 P;\n"_s.arg(header, one, two);
    code += uR"(
extern "C" __global__ void arithmetic(H* h, P* p)
{
    const int i = threadIdx.x;
    H a = h[i], b = h[i + 32];
    a += b; a -= h[1]; a *= b; a /= h[2]; ++a; --a; a++; a--;
    h[i] = -a + b * a - a / b + (+a);
    P c = p[i], d = p[i + 32];
    c += d; c -= p[1]; c *= d; c /= p[2]; ++c; --c; c++; c--;
    p[i] = -c + d * c - c / d + (+c);
}
extern "C" __global__ void comparisons(const H* h, const P* p, int* r)
{
    const int i = threadIdx.x;
    const H a = h[i], b = h[i + 32];
    const P c = p[i], d = p[i + 32];
    r[i] = (a == b) + 2 * (a != b) + 4 * (a > b) + 8 * (a < b) + 16 * (a >= b) + 32 * (a <= b) + 64 * (a ? 1 : 0) +
           128 * (c == d) + 256 * (c != d) + 512 * (c > d) + 1024 * (c < d) + 2048 * (c >= d) + 4096 * (c <= d);
}
extern "C" __global__ void conversions(H* h, const double* v, const long long* n, float* f, int* r, long long* q)
{
    const int i = threadIdx.x;
    h[0] = H(v[i]); h[1] = H((float)v[i]); h[2] = H((int)n[i]); h[3] = H((unsigned)n[i]); h[4] = H((short)n[i]);
    h[5] = H((unsigned short)n[i]); h[6] = H(n[i]); h[7] = H((unsigned long long)n[i]);
    h[8] = v[i]; h[9] = (float)v[i]; h[10] = (int)n[i];
    f[i] = h[11];
    r[0] = (signed char)h[12]; r[1] = (unsigned char)h[13]; r[2] = (short)h[14]; r[3] = (unsigned short)h[15];
    r[4] = (int)h[16]; r[5] = (unsigned)h[17]; q[0] = (long long)h[18]; q[1] = (unsigned long long)h[19];
    r[6] = (bool)h[20]; r[7] = (char)h[21];
}
)"_s;
    const std::string why = refused(code.toStdString(), {"arithmetic", "comparisons", "conversions"});
    QVERIFY2(why.empty(), why.c_str());
}

QTEST_GUILESS_MAIN(HalfIntrinsicsTest)
#include "tst_half_intrinsics.moc"
