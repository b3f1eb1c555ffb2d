// SPDX-License-Identifier: Apache-2.0
// Programs with several tensors of several types and a real argument, on the simulated device and on the CUDA
// device with a driver of our own.
#include "device/cuda/cuda_device.h"
#include "harness.h"

#include <QTest>
#include <cstring>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

/// total[i] = factor * x[index[i]] + bias[i] in double precision, next[i] = index[i] + 1.
const char* const gather =
    ".version 9.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry gather(.param .u64 a, .param .u64 b, .param .u64 c, .param .f32 d,\n"
    "    .param .u64 e, .param .u64 f)\n"
    "{\n"
    ".reg .b64 %p<9>;\n"
    ".reg .b32 %r<4>;\n"
    ".reg .f32 %f<6>;\n"
    ".reg .f64 %g<2>;\n"
    "ld.param.u64 %p1, [a];\n"
    "ld.param.u64 %p2, [b];\n"
    "ld.param.u64 %p3, [c];\n"
    "ld.param.f32 %f1, [d];\n"
    "ld.param.u64 %p4, [e];\n"
    "ld.param.u64 %p5, [f];\n"
    "mov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %p6, %r1, 4;\n"
    "add.s64 %p1, %p1, %p6;\n"
    "ld.global.u32 %r2, [%p1];\n"
    "mul.wide.u32 %p7, %r2, 4;\n"
    "add.s64 %p2, %p2, %p7;\n"
    "ld.global.f32 %f2, [%p2];\n"
    "add.s64 %p3, %p3, %p6;\n"
    "ld.global.f32 %f3, [%p3];\n"
    "fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "cvt.f64.f32 %g1, %f4;\n"
    "mul.wide.u32 %p8, %r1, 8;\n"
    "add.s64 %p4, %p4, %p8;\n"
    "st.global.f64 [%p4], %g1;\n"
    "add.s32 %r3, %r2, 1;\n"
    "add.s64 %p5, %p5, %p6;\n"
    "st.global.u32 [%p5], %r3;\n"
    "ret;\n"
    "}\n";

/// y[i] = alpha x[i] + beta y[i] in a type, where y is not read if beta is 0.
std::string axpby(const std::string& type, const std::string& zero, int bytes)
{
    std::string text = ".version 9.0\n"
                       ".target sm_80\n"
                       ".address_size 64\n"
                       ".visible .entry axpby(.param .T a, .param .T b, .param .u64 c, .param .u64 d)\n"
                       "{\n"
                       ".reg .b64 %p<4>;\n"
                       ".reg .b32 %r<2>;\n"
                       ".reg .T %v<6>;\n"
                       ".reg .pred %q<2>;\n"
                       "ld.param.T %v1, [a];\n"
                       "ld.param.T %v2, [b];\n"
                       "ld.param.u64 %p1, [c];\n"
                       "ld.param.u64 %p2, [d];\n"
                       "mov.u32 %r1, %tid.x;\n"
                       "mul.wide.u32 %p3, %r1, BYTES;\n"
                       "add.s64 %p1, %p1, %p3;\n"
                       "add.s64 %p2, %p2, %p3;\n"
                       "ld.global.T %v3, [%p1];\n"
                       "mul.rn.T %v4, %v1, %v3;\n"
                       "setp.eq.T %q1, %v2, ZERO;\n"
                       "@%q1 bra END;\n"
                       "ld.global.T %v5, [%p2];\n"
                       "fma.rn.T %v4, %v2, %v5, %v4;\n"
                       "END:\n"
                       "st.global.T [%p2], %v4;\n"
                       "ret;\n"
                       "}\n";
    const auto fill = [&](const std::string& mark, const std::string& with) {
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += with.size())
            text.replace(at, mark.size(), with);
    };
    fill(".T", "." + type);
    fill("ZERO", zero);
    fill("BYTES", std::to_string(bytes));
    return text;
}

template <class T>
std::vector<T> valuesOf(const Tensor& tensor)
{
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
}

/// Two calls of it, with other numbers each.
struct Gather
{
    static constexpr int threads = 32, length = 50;
    static constexpr float factor = -0.25f;
    Bench bench{gather};
    std::string cubin = gather; // the driver takes PTX too
    std::vector<std::vector<std::int32_t>> indices{2};
    std::vector<std::vector<float>> xs{2}, biases{2};

    Gather()
    {
        const int index = bench.buffer("index", BufferRole::Input, ElementType::I32, threads),
                  x = bench.buffer("values", BufferRole::Input, ElementType::F32, length),
                  bias = bench.buffer("bias", BufferRole::Input, ElementType::F32, threads),
                  total = bench.buffer("total", BufferRole::Output, ElementType::F64, threads),
                  next = bench.buffer("next", BufferRole::Output, ElementType::I32, threads);
        bench.launch("gather", 1, threads,
                     {array(index), array(x), array(bias), BoundArgument(factor), array(total), array(next)});
        for (int call = 0; call < 2; ++call) {
            for (int i = 0; i < threads; ++i) {
                indices[call].push_back((7 * i + 11 * call) % length);
                biases[call].push_back(static_cast<float>(i - 3 * call));
            }
            for (int i = 0; i < length; ++i)
                xs[call].push_back(static_cast<float>(4 * (i + call) - 80));
        }
    }
    /// Not in the plan's order, and with one that the plan does not name.
    CallInputs inputs(int call) const
    {
        return {{"unused", ElementType::U8, {}},
                {"bias", ElementType::F32, std::as_bytes(std::span(biases[call]))},
                {"values", ElementType::F32, std::as_bytes(std::span(xs[call]))},
                {"index", ElementType::I32, std::as_bytes(std::span(indices[call]))}};
    }
    ExecutionRequest execution() const
    {
        ExecutionRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.inputs = {inputs(0), inputs(1)};
        return request;
    }
    bool right(const CallOutputs& outputs, int call) const
    {
        if (outputs.size() != 2 || outputs[0].name != "total" || outputs[0].type != ElementType::F64 ||
            outputs[1].name != "next" || outputs[1].type != ElementType::I32)
            return false;
        const auto totals = valuesOf<double>(outputs[0]);
        const auto nexts = valuesOf<std::int32_t>(outputs[1]);
        bool all = totals.size() == threads && nexts.size() == threads;
        for (std::size_t i = 0; all && i < threads; ++i) {
            const auto at = static_cast<std::size_t>(indices[call][i]);
            all = totals[i] == double(factor * xs[call][at] + biases[call][i]) && nexts[i] == int(at) + 1;
        }
        return all;
    }
};

std::unique_ptr<CudaDevice> open()
{
    qputenv("SPARSERL_FAKE_GPU", "");
    auto device = CudaDevice::create(0, SPARSERL_FAKE_DRIVER);
    if (!device)
        throw std::runtime_error(device.error().sentence());
    return std::move(*device);
}

} // namespace

class TestDeviceTensors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void executes_data() { devices(); }
    void executes()
    {
        QFETCH(bool, cuda);
        const Gather one;
        const auto result = run(cuda, one.execution());
        QVERIFY2(result, result ? "" : result.error().sentence().c_str());
        QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
        QCOMPARE(result->outputs.size(), std::size_t(2));
        for (int call = 0; call < 2; ++call)
            QVERIFY(one.right(result->outputs[static_cast<std::size_t>(call)], call));
        QVERIFY(!one.right(result->outputs[0], 1));
    }

    void scaledCalls_data() { devices(); }
    /// Each call has factors of its own and what the output holds; one without has 1 and 0, and a plan that
    /// zeroes the output does so after that.
    void scaledCalls()
    {
        QFETCH(bool, cuda);
        scaledCalls<float>(cuda, axpby("f32", "0f00000000", 4));
        scaledCalls<double>(cuda, axpby("f64", "0d0000000000000000", 8));
    }

    void wrongInputsAreSentences_data() { devices(); }
    void wrongInputsAreSentences()
    {
        QFETCH(bool, cuda);
        const Gather one;
        const auto refusal = [&](auto change) {
            auto request = one.execution();
            change(request.inputs[1]);
            const auto result = run(cuda, request);
            return result ? std::string("accepted") : result.error().what;
        };
        QCOMPARE(refusal([](CallInputs& inputs) { inputs.pop_back(); }),
                 std::string("the input 'index' of the plan was not given"));
        QCOMPARE(refusal([](CallInputs& inputs) { inputs.back().type = ElementType::F32; }),
                 std::string("'index' is i32, but f32 was given"));
        QCOMPARE(refusal([](CallInputs& inputs) { inputs[1].bytes = inputs[1].bytes.first(12); }),
                 std::string("'bias' has 32 elements, but 3 were given"));
    }

    /// Indices keep their values between the samples, floats change their signs; what was timed reads no
    /// other.
    void measures()
    {
        const Gather one;
        MeasureRequest request;
        request.plan = &one.bench.plan;
        request.module = &one.bench.module;
        request.cubin = one.cubin;
        request.samples = 4;
        request.sampleMicroseconds = 50;
        request.ring = {one.inputs(0), one.inputs(1)};
        const auto device = open();
        const auto result = device->measure(request);
        QVERIFY2(result, result ? "" : result.error().sentence().c_str());
        QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
        QVERIFY(result->warm.median > 0);
        QCOMPARE(result->compared.calls, std::int64_t(0)); // It is no sparse product.
    }

private:
    static void devices()
    {
        QTest::addColumn<bool>("cuda");
        QTest::newRow("simulated") << false;
        QTest::newRow("CUDA") << true;
    }
    template <class T>
    static void scaledCalls(bool cuda, const std::string& ptx)
    {
        constexpr ElementType type = elementType<T>();
        const std::vector<T> x{1, 2, -3}, old{T(0.5), 8, 100};
        for (const bool zeroed : {false, true}) {
            Bench bench(ptx);
            const int in = bench.buffer("x", BufferRole::Input, type, 3),
                      out = bench.buffer("y", BufferRole::Output, type, 3, zeroed);
            bench.launch(
                "axpby", 1, 3,
                {FactorRef{Factor::Alpha, type}, FactorRef{Factor::Beta, type}, array(in), array(out)});
            ExecutionRequest request;
            request.plan = &bench.plan;
            request.module = &bench.module;
            request.cubin = ptx;
            const CallInputs inputs{{"x", type, std::as_bytes(std::span(x))}};
            request.inputs = {inputs, inputs, inputs, inputs};
            request.scaled = {{{-2, 4}, old}, {{0.5, -1}, old}, {{3, 0}, {}}};
            const auto result = run(cuda, request);
            QVERIFY2(result, result ? "" : result.error().sentence().c_str());
            QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
            const auto y = [&](std::size_t call) { return valuesOf<T>(result->outputs.at(call).at(0)); };
            QCOMPARE(y(0), zeroed ? (std::vector<T>{-2, -4, 6}) : (std::vector<T>{0, 28, 406}));
            QCOMPARE(y(1),
                     zeroed ? (std::vector<T>{T(0.5), 1, T(-1.5)}) : (std::vector<T>{0, -7, T(-101.5)}));
            QCOMPARE(y(2), (std::vector<T>{3, 6, -9}));
            QCOMPARE(y(3), x);
            request.scaled[0].before = NumberView(std::span(old).first(2));
            const auto refused = run(cuda, request);
            QVERIFY(!refused);
            QCOMPARE(refused.error().what, std::string("'y' has 3 elements, but 2 were given"));
        }
    }
    static Result<ExecutionResult> run(bool cuda, const ExecutionRequest& request)
    {
        return cuda ? open()->execute(request) : SimulatedDevice().execute(request);
    }
};

QTEST_GUILESS_MAIN(TestDeviceTensors)
#include "tst_device_tensors.moc"
