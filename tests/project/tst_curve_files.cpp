// SPDX-License-Identifier: Apache-2.0
// Curves of runs as files of TensorBoard and MLflow: byte by byte, and read by those programs themselves.
#include "project/curves/curve_files.h"
#include "project/curves/event_file.h"
#include "project/files/run_files.h"
#include "project/run/run_directory.h"
#include "tests/drawn_share.h"
#include "tests/project/fixture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>

using namespace sparserl;
using fixture::must;
using fixture::mustDo;
namespace fs = std::filesystem;

namespace {

constexpr int curveCount = 20, stepCount = 500;
constexpr int longest = 600'000; // milliseconds: somebody else's server

/// The fields of a protocol buffer message: number and bytes of each, as a decoder of its own reads them.
struct Field
{
    std::uint64_t number = 0, type = 0, value = 0;
    std::string bytes;
};
std::vector<Field> fieldsOf(const std::string& message)
{
    std::vector<Field> fields;
    std::size_t at = 0;
    const auto varint = [&] {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(message.at(at++));
            value |= std::uint64_t(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0)
                return value;
        }
    };
    while (at < message.size()) {
        const std::uint64_t key = varint();
        Field field{key >> 3, key & 7, 0, {}};
        if (field.type == 0) {
            field.value = varint();
        } else {
            const std::size_t size = field.type == 1 ? 8 : field.type == 5 ? 4 : varint();
            field.bytes = message.substr(at, size);
            at += size;
        }
        fields.push_back(field);
    }
    return fields;
}

template <typename Number>
Number numberIn(const std::string& bytes)
{
    Number number{};
    std::memcpy(&number, bytes.data(), sizeof number); // this machine is little-endian, as the files are
    return number;
}

std::vector<std::string> recordsOf(const std::string& file)
{
    std::vector<std::string> records;
    for (std::size_t at = 0; at < file.size();) {
        const auto length = numberIn<std::uint64_t>(file.substr(at, 8));
        records.push_back(file.substr(at + 12, length));
        at += 16 + length;
    }
    return records;
}

/// The Python of an environment of its own with these packages, or why there is none.
QString pythonWith(const QStringList& packages, QString& missing)
{
    const QString folder = QStringLiteral(SPARSERL_VENV);
    const QString python = folder + QStringLiteral("/bin/python3");
    const auto run = [&](const QString& program, const QStringList& arguments) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        const bool good = process.waitForFinished(longest) && process.exitCode() == 0 &&
                          process.exitStatus() == QProcess::NormalExit;
        missing = QString::fromUtf8(process.readAll()).trimmed().section(QLatin1Char('\n'), -1);
        return good;
    };
    if (!run(python, {QStringLiteral("-c"), QStringLiteral("pass")}) &&
        !run(QStringLiteral("python3"), {QStringLiteral("-m"), QStringLiteral("venv"), folder}))
        return {};
    QStringList wanted{QStringLiteral("-m"),
                       QStringLiteral("pip"),
                       QStringLiteral("install"),
                       QStringLiteral("--quiet"),
                       QStringLiteral("--no-compile"), // Hardly anything of them is imported.
                       QStringLiteral("--disable-pip-version-check"),
                       QStringLiteral("--retries"),
                       QStringLiteral("1"),
                       QStringLiteral("--timeout"),
                       QStringLiteral("20")};
    return run(python, wanted + packages) ? python : QString();
}

} // namespace

class TestCurveFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        m_project = fs::path(m_dir.path().toStdString()) / "p";
        RunConfig run = fixture::config("rl");
        run.title = "it's a \"run\": #1";
        run.parameters = {{"rl.lr", 1e-4}, {"rl.kind", std::string("ppo | grpo")}, {"seed", std::int64_t(7)}};
        auto directory = must(RunDirectory::create(m_project / "runs/0001-rl", run));
        auto session = must(directory.beginWork());
        for (int step = 1; step <= stepCount; ++step) {
            MetricEvent train, held;
            held.split = "held-out";
            for (int curve = 0; curve < curveCount / 2; ++curve) {
                train.values["part/metric_" + std::to_string(curve)] = valueAt(curve, step);
                if (step % 10 == 0)
                    held.values["part/metric_" + std::to_string(curve)] = valueAt(curve + 50, step);
            }
            mustDo(session.journal().append(step, train));
            if (!held.values.empty())
                mustDo(session.journal().append(step, held));
        }
        // A value that came twice: the later one counts, as everywhere.
        mustDo(session.journal().append(3, MetricEvent{"train", {{"part/metric_0", 33.25}}}));
        mustDo(session.journal().append(stepCount, StateEvent{RunState::Done, {}, stepCount}));
    }

    void checksumsAreThoseOfTheDefinition()
    {
        QCOMPARE(crc32c("123456789"), 0xe3069283u);           // the check value of CRC-32C's definition
        QCOMPARE(crc32c(std::string(32, '\0')), 0x8a9136aau); // RFC 3720, B.4
        QCOMPARE(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
        const std::string record = tfRecord("abc");
        QCOMPARE(record.size(), std::size_t(8 + 4 + 3 + 4));
        QCOMPARE(numberIn<std::uint64_t>(record.substr(0, 8)), std::uint64_t(3));
        const auto masked = [](std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; };
        QCOMPARE(numberIn<std::uint32_t>(record.substr(8, 4)), masked(crc32c(record.substr(0, 8))));
        QCOMPARE(numberIn<std::uint32_t>(record.substr(15, 4)), masked(crc32c("abc")));
    }

    void journalIsReadAsItCounts()
    {
        const auto run = must(readRunCurves(m_project / "runs/0001-rl"));
        QCOMPARE(run.curves.size(), std::size_t(curveCount));
        const auto& first = run.curves.at({"train", "part/metric_0"});
        QCOMPARE(first.size(), std::size_t(stepCount));
        QCOMPARE(first[2].step, std::int64_t(3));
        QCOMPARE(first[2].value, 33.25);
        QCOMPARE(run.state, RunState::Done);
    }

    void eventsHoldWhatTheJournalHas()
    {
        const fs::path out = m_project / "events";
        const auto written = must(exportCurves({m_project / "runs/0001-rl"}, CurveFormat::TensorBoard, out));
        QCOMPARE(written.runs, std::int64_t(1));
        QCOMPARE(written.curves, std::int64_t(curveCount));
        QCOMPARE(written.points, std::int64_t(curveCount / 2 * (stepCount + stepCount / 10)));
        std::int64_t points = 0;
        const auto run = must(readRunCurves(m_project / "runs/0001-rl"));
        for (const char* split : {"train", "held-out"}) {
            fs::path file;
            for (const auto& entry : fs::directory_iterator(out / "0001-rl" / split))
                file = entry.path();
            QVERIFY(file.filename().string().starts_with("events.out.tfevents."));
            const auto records = recordsOf(must(readFile(file)));
            QCOMPARE(fieldsOf(records.front())[1].bytes, std::string("brain.Event:2"));
            std::int64_t before = 0;
            for (std::size_t i = 1; i < records.size(); ++i) {
                const auto event = fieldsOf(records[i]);
                const auto t = numberIn<double>(event.at(0).bytes);
                const auto step = static_cast<std::int64_t>(event.at(1).value);
                QVERIFY(step >= before); // a reader takes a step back for a restart
                before = step;
                for (const Field& value : fieldsOf(event.at(2).bytes)) {
                    const auto parts = fieldsOf(value.bytes);
                    if (parts.at(1).number != 2)
                        continue; // the table of parameters
                    const auto& curve = run.curves.at({split, parts[0].bytes});
                    const auto at = std::find_if(curve.begin(), curve.end(),
                                                 [&](const CurvePoint& p) { return p.step == step; });
                    QVERIFY(at != curve.end());
                    const float wanted = static_cast<float>(at->value), got = numberIn<float>(parts[1].bytes);
                    QVERIFY(got == wanted || (std::isnan(got) && std::isnan(wanted)));
                    QCOMPARE(t, at->t);
                    ++points;
                }
            }
        }
        QCOMPARE(points, written.points);
    }

    // What cannot be written leaves nothing, and says why.
    void refusals()
    {
        const fs::path run = m_project / "runs/0001-rl";
        const auto taken = exportCurves({run}, CurveFormat::MLflow, m_project / "runs");
        QVERIFY(!taken && taken.error().what.find("not empty") != std::string::npos);
        const auto none = exportCurves({m_project / "runs/none"}, CurveFormat::TensorBoard, m_project / "x");
        QVERIFY(!none);
        QVERIFY(!fs::exists(m_project / "x"));
        CancelToken cancel;
        cancel.cancel();
        QVERIFY(!exportCurves({run}, CurveFormat::TensorBoard, m_project / "y/z", cancel));
        QVERIFY(!fs::exists(m_project / "y"));
        QVERIFY(!curveFormatFromName("wandb"));
        const auto both =
            must(exportCurves({m_project / "runs/none", run}, CurveFormat::MLflow, m_project / "two"));
        QCOMPARE(both.runs, std::int64_t(1));
        QCOMPARE(both.problems.size(), std::size_t(1));
    }

    // Names that a journal of anybody's may have stay inside, and are told apart.
    void hostileNames()
    {
        auto directory = must(RunDirectory::create(m_project / "runs/0002-rl", fixture::config("rl")));
        {
            auto session = must(directory.beginWork());
            mustDo(session.journal().append(1, MetricEvent{"train",
                                                           {{"../../../escape", 1},
                                                            {"a", 2},
                                                            {"a/b", 3},
                                                            {"pass@1", 4},
                                                            {"pass_at_1", 5},
                                                            {"", 6}}}));
            mustDo(session.journal().append(1, MetricEvent{"../up", {{"a", 7}}}));
        }
        for (const CurveFormat format : {CurveFormat::TensorBoard, CurveFormat::MLflow}) {
            const fs::path out = m_project / "hostile" / std::string(nameOf(format));
            must(exportCurves({directory.path()}, format, out));
            std::size_t lines = 0;
            for (const auto& entry : fs::recursive_directory_iterator(m_project / "hostile"))
                if (entry.path().string().find("/metrics/") != std::string::npos && entry.is_regular_file())
                    ++lines;
            QCOMPARE(lines, std::size_t(format == CurveFormat::MLflow ? 7 : 0));
            QVERIFY(!fs::exists(m_project / "escape") && !fs::exists(m_project / "hostile/escape"));
        }
    }

    // MLflow knows no letters but ours: many names become one, which is told apart without getting long.
    void namesOfAnotherAlphabet()
    {
        constexpr int many = 63 * 64;
        auto directory = must(RunDirectory::create(m_project / "runs/0003-rl", fixture::config("rl")));
        {
            auto session = must(directory.beginWork());
            for (int high = 0; high < 63; ++high) {
                MetricEvent event;
                event.split = "train";
                for (int low = 0; low < 64; ++low) // a letter of Greek and one of Cyrillic, two bytes each
                    event.values[{'\xce', static_cast<char>(0x80 + high), '\xd0',
                                  static_cast<char>(0x80 + low)}] = 1;
                mustDo(session.journal().append(1, event));
            }
        }
        const fs::path out = m_project / "letters";
        const auto written = must(exportCurves({directory.path()}, CurveFormat::MLflow, out));
        QCOMPARE(written.problems, std::vector<std::string>());
        QCOMPARE(written.curves, std::int64_t(many));
        int files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(out)) {
            if (entry.path().string().find("/metrics/") != std::string::npos && entry.is_regular_file())
                ++files;
            QVERIFY(entry.path().filename().string().size() < 50);
        }
        QCOMPARE(files, many);
    }

    // TensorBoard or MLflow itself, from PyPI: one by lot, SPARSERL_TEST_SHARE=1 both.
    void readByTheProgramsThemselves_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<QStringList>("packages");
        QTest::newRow("tensorboard") << static_cast<int>(CurveFormat::TensorBoard)
                                     << QStringList{QStringLiteral("tensorboard"),
                                                    QStringLiteral("setuptools<81")};
        QTest::newRow("mlflow") << static_cast<int>(CurveFormat::MLflow)
                                << QStringList{QStringLiteral("mlflow-skinny<3")};
    }
    void readByTheProgramsThemselves()
    {
        QFETCH(int, format);
        QFETCH(QStringList, packages);
        if (!m_share.everything() && m_share.has("tensorboard") != (format == int(CurveFormat::TensorBoard)))
            QSKIP("the other one is drawn");
        QString missing;
        const QString python = pythonWith(packages, missing);
        if (python.isEmpty())
            QSKIP(qPrintable(QStringLiteral("PyPI cannot be reached, so %1 does not read the files here: %2")
                                 .arg(packages.join(QLatin1Char(' ')), missing)));
        const auto kind = static_cast<CurveFormat>(format);
        const fs::path out = m_project / "read" / std::string(nameOf(kind));
        must(exportCurves({m_project / "runs/0001-rl"}, kind, out));
        QProcess process;
        process.start(python,
                      {QStringLiteral(SPARSERL_READER), QString::fromStdString(std::string(nameOf(kind))),
                       QString::fromStdString(out.string())});
        QVERIFY(process.waitForFinished(longest));
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, said.constData());
        const QJsonObject read = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        const auto run = must(readRunCurves(m_project / "runs/0001-rl"));
        const QJsonObject curves = read[QStringLiteral("curves")].toObject();
        QCOMPARE(curves.size(), curveCount);
        for (const auto& [key, points] : run.curves) {
            const QString name = QString::fromStdString(key.first + "/" + key.second);
            const QJsonArray found = curves[name].toArray();
            QCOMPARE(found.size(), static_cast<qsizetype>(points.size()));
            for (std::size_t i = 0; i < points.size(); ++i) {
                const QJsonArray point = found[static_cast<qsizetype>(i)].toArray();
                QCOMPARE(point[0].toInteger(), points[i].step);
                // As hexadecimal floats, which lose nothing.
                const double value = std::strtod(qPrintable(point[1].toString()), nullptr);
                const double wanted = kind == CurveFormat::TensorBoard
                                          ? static_cast<double>(static_cast<float>(points[i].value))
                                          : points[i].value;
                QVERIFY2(value == wanted || (std::isnan(value) && std::isnan(wanted)), qPrintable(name));
                QVERIFY(std::abs(point[2].toDouble() - points[i].t) < 0.002);
            }
        }
        const QJsonObject parameters = read[QStringLiteral("parameters")].toObject();
        QCOMPARE(parameters[QStringLiteral("seed")].toString(), QStringLiteral("7"));
        QVERIFY(parameters[QStringLiteral("rl.kind")].toString().startsWith(QLatin1String("ppo ")));
    }

private:
    static double valueAt(int curve, int step)
    {
        if (curve == 1 && step == 20)
            return std::numeric_limits<double>::quiet_NaN();
        if (curve == 2 && step == 30)
            return std::numeric_limits<double>::infinity();
        return std::sin(0.01 * step * (curve + 1)) * std::pow(10.0, curve % 7 - 3);
    }
    const test::DrawnShare m_share{2};
    QTemporaryDir m_dir;
    fs::path m_project;
};

QTEST_GUILESS_MAIN(TestCurveFiles)
#include "tst_curve_files.moc"
