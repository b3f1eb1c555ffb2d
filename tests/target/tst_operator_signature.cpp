// SPDX-License-Identifier: Apache-2.0
// What programs know about an operator: its tensors as another process gets them, and what follows from them.
#include "matrix/contents.h"
#include "target/operator_signature.h"
#include "target/target_text.h"
#include "target/workload.h"

#include <QtTest>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

OperatorSignature linear()
{
    OperatorSignature signature;
    signature.digest = std::string(64, 'd');
    signature.tensors = {{"x", TensorRole::Input, ElementType::F32, {2, 3}},
                         {"fc.0.weight", TensorRole::Input, ElementType::F32, {4, 3}},
                         {"scale", TensorRole::Input, ElementType::F32, {}},
                         {"out", TensorRole::Output, ElementType::F32, {2, 4}}};
    signature.flops = 48.5;
    signature.compulsoryBytes = 108;
    return signature;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

} // namespace

class TestOperatorSignature : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void comesBack()
    {
        const auto back = parseSignature(formatSignature(linear()));
        QVERIFY2(back.has_value(), back ? "" : back.error().sentence().c_str());
        QVERIFY(*back == linear());
        const Contents contents{nullptr, {}, std::make_shared<const OperatorSignature>(linear())};
        std::vector<std::byte> bytes(packedBytes(contents));
        QCOMPARE(bytes.size() % 8, std::size_t(0));
        packContents(contents, bytes);
        const auto read = unpackContents(bytes);
        QVERIFY2(read && read->signature && *read->signature == linear() && !read->matrix,
                 read ? "" : read.error().sentence().c_str());
        for (std::size_t length : {std::size_t(0), std::size_t(39), std::size_t(48), bytes.size() - 8})
            QVERIFY(!unpackContents(std::span(bytes).first(length)).has_value());
        bytes[45] = std::byte('#');
        QVERIFY(!unpackContents(bytes).has_value());
    }

    void damaged_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, const char* from, const char* to) {
            QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to);
        };
        row("no output", "\"output\":true", "\"output\":false");
        row("no role", "\"output\":true", "\"output\":1");
        row("a type that there is not", "\"type\":\"f32\"", "\"type\":\"f31\"");
        row("a negative extent", "[2,3]", "[2,-3]");
        row("an extent that is no number", "[2,3]", "[2,\"3\"]");
        row("too many elements", "[2,3]", "[4294967296,4294967296]");
        row("an overflow", "[2,3]", "[9223372036854775807,9223372036854775807]");
        row("behind a zero", "[2,3]", "[0,4294967296,4294967296]");
        row("too many dimensions", "[2,3]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]");
        row("a name twice", "\"name\":\"x\"", "\"name\":\"scale\"");
        row("a name that no plan has", "\"name\":\"x\"", "\"name\":\"x y\"");
        row("no name", "\"name\":\"x\"", "\"nam\":\"x\"");
        row("no number of operations", "48.5", "null");
        row("negative operations", "48.5", "-48.5");
        row("negative bytes", "\"bytes\":108", "\"bytes\":-108");
        row("no list", "\"tensors\":[", "\"tensor\":[");
        row("no JSON", "{", "");
    }
    void damaged()
    {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        const std::string text = replaced(formatSignature(linear()), from.toStdString(), to.toStdString());
        QVERIFY(!text.empty());
        const auto read = parseSignature(text);
        QVERIFY(!read && !read.error().what.empty());
    }

    void namesInPlans()
    {
        for (const char* name : {"x", "_x1", "fc.weight", "layers.0.bias", "A.b_c.12.d", "minimum", "dim",
                                 "numel", "alpha", "csr", "rows"})
            QVERIFY2(problemOfTensorName(name).empty(), name);
        for (const char* name : {"", "0.w", ".x", "x.", "x..y", "x y", "x-y", "\u00e9", "x\n", "min", "dim3",
                                 "sm_count", "x.numel", "x.dim"})
            QVERIFY2(!problemOfTensorName(name).empty(), name);
        QVERIFY(problemOfTensorName(std::string(200, 'x')).empty());
        QVERIFY(!problemOfTensorName(std::string(201, 'x')).empty());
        QCOMPARE(outputName(0, 1), std::string("out"));
        QCOMPARE(outputName(1, 2), std::string("out1"));
    }

    void workOfACall()
    {
        const TargetVariant variant = TargetVariant::of(Task::Operator, 1);
        const Workload work(variant, std::make_shared<const OperatorSignature>(linear()));
        QVERIFY(work.tensors() == linear().tensors);
        QVERIFY(work.flops() == 48.5 && work.compulsoryBytes() == 108);
        QVERIFY(work.find("fc.0.weight")->count() == 12 && work.find("scale")->count() == 1);
        QVERIFY(!work.find("y"));
        // A record says what the target is, but not what it contains.
        QVERIFY(Workload(variant, SparseSizes{}).flops() == 0 &&
                Workload(variant, SparseSizes{}).compulsoryBytes() == 0);
        QCOMPARE(elementName(variant, {}, 17, 0), std::string("out[17]"));
        QCOMPARE(elementName(variant, 1, 3, 0), std::string("out1[3]"));
    }

    void identities()
    {
        TargetId id{.contents = std::string(64, 'e'),
                    .name = "relu, base",
                    .variant = TargetVariant::of(Task::Operator, 1)};
        QCOMPARE(id.key(), std::string(64, 'e') + "/operator");
        const auto read = TargetId::fromKey(id.key());
        QVERIFY(read && *read == id && read->task() == Task::Operator);
        QCOMPARE(labelOf(id), std::string("relu, base"));
        QCOMPARE(taskWords(id.variant), std::string("operator"));
        TargetId matrix = id;
        matrix.variant = {};
        QVERIFY(!(matrix == id) && !matrix.sameContents(id) && !matrix.sameVariant(id));
    }
};

QTEST_GUILESS_MAIN(TestOperatorSignature)
#include "tst_operator_signature.moc"
