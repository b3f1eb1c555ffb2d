// SPDX-License-Identifier: Apache-2.0
// Places of tensors in a job's memory, which another process names.
#include "runner/call_ranges.h"

#include <QtTest>

#include <array>
#include <cstring>
#include <string_view>

using namespace sparserl;

namespace {

constexpr std::array<std::string_view, 1> xAlone{"x"}, yAlone{"y"}, cAlone{"C"};

CallOutputs outputOf(std::vector<float> values)
{
    Tensor tensor{"y", ElementType::F32, std::vector<std::byte>(values.size() * sizeof(float))};
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return {std::move(tensor)};
}

} // namespace

class CallRangesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void inputsComeFromTheirPlaces()
    {
        auto memory = SharedBuffer::create(64);
        QVERIFY(memory.has_value());
        memory->floats(16, 2)[1] = 4;
        const auto inputs = inputsAt(*memory, xAlone, {{16, 2}});
        QVERIFY(inputs && inputs->size() == 1);
        QVERIFY(inputs->front().name == "x");
        QCOMPARE(numbersOf(inputs->front().type, inputs->front().bytes)[1], 4.0);
        for (const NumberRange& outside : {NumberRange{64, 1}, NumberRange{0, 17}, NumberRange{2, 1},
                                           NumberRange{0, 9, ElementType::F64}, NumberRange{1ull << 63, 2}})
            QVERIFY(!inputsAt(*memory, xAlone, {outside}).has_value());
    }

    void outputsGoToTheirPlaces()
    {
        auto memory = SharedBuffer::create(64);
        QVERIFY(memory.has_value());
        const std::vector<CallRanges> calls{{{}, {{0, 2}}, {}}, {{}, {{32, 2}}, {}}};
        QVERIFY(putOutputs(*memory, yAlone, calls, {outputOf({1, 2}), outputOf({3, 4})}).has_value());
        QCOMPARE(memory->floats(32, 2)[1], 4.0f);
        QVERIFY(!putOutputs(*memory, yAlone, calls, {outputOf({1, 2, 3})}).has_value());
        QVERIFY(!putOutputs(*memory, cAlone, calls, {outputOf({1, 2})}).has_value()); // There is no C.
        for (const NumberRange& wrong : {NumberRange{60, 2}, NumberRange{0, 2, ElementType::F64}})
            QVERIFY(!putOutputs(*memory, yAlone, {{{}, {wrong}, {}}}, {outputOf({1, 2})}).has_value());
        QVERIFY(!putOutputs(*memory, yAlone, {{}}, {outputOf({1, 2})}).has_value());
    }

    void whatAnOutputHeld()
    {
        auto memory = SharedBuffer::create(64);
        QVERIFY(memory.has_value());
        memory->floats(8, 1)[0] = 5;
        const auto plain = scaledCallAt(*memory, {{}, {}, {}});
        QVERIFY(plain && plain->before.empty() && plain->by == CallFactors());
        const auto scaled = scaledCallAt(*memory, {{}, {}, {2, 0.5}, {{8, 1}}});
        QVERIFY(scaled && scaled->by == (CallFactors{2, 0.5}));
        QCOMPARE(scaled->before[0], 5.0);
        QVERIFY(!scaledCallAt(*memory, {{}, {}, {2, 0.5}, {{64, 1}}}).has_value());
    }
};

QTEST_GUILESS_MAIN(CallRangesTest)
#include "call_ranges_test.moc"
