// SPDX-License-Identifier: Apache-2.0
#include "ptx/modifiers.h"

#include <array>
#include <charconv>
#include <span>

namespace sparserl::ptx {

namespace {

template <class Value>
struct Named
{
    std::string_view name;
    Value value;
};

constexpr Named<Type> typeNames[] = {
    {"pred", Type::Pred}, {"b8", Type::B8},       {"b16", Type::B16},       {"b32", Type::B32},
    {"b64", Type::B64},   {"u8", Type::U8},       {"u16", Type::U16},       {"u32", Type::U32},
    {"u64", Type::U64},   {"s8", Type::S8},       {"s16", Type::S16},       {"s32", Type::S32},
    {"s64", Type::S64},   {"f32", Type::F32},     {"f64", Type::F64},       {"f16", Type::F16},
    {"bf16", Type::BF16}, {"f16x2", Type::F16x2}, {"bf16x2", Type::BF16x2}, {"tf32", Type::TF32}};
constexpr Named<Rounding> roundings[] = {
    {"rn", Rounding::Rn},   {"rz", Rounding::Rz},   {"rm", Rounding::Rm},   {"rp", Rounding::Rp},
    {"rni", Rounding::Rni}, {"rzi", Rounding::Rzi}, {"rmi", Rounding::Rmi}, {"rpi", Rounding::Rpi}};
constexpr Named<Space> spaces[] = {{"param", Space::Param},
                                   {"global", Space::Global},
                                   {"const", Space::Const},
                                   {"shared", Space::Shared},
                                   {"local", Space::Local}};
constexpr Named<int> vectors[] = {{"v2", 2}, {"v4", 4}};
/// .cv reads again and .wt writes through: as volatile accesses do.
constexpr Named<Order> orders[] = {{"volatile", Order::Volatile}, {"cv", Order::Volatile},
                                   {"wt", Order::Volatile},       {"relaxed", Order::Relaxed},
                                   {"acquire", Order::Acquire},   {"release", Order::Release},
                                   {"acq_rel", Order::AcqRel}};
constexpr Named<Scope> scopes[] = {
    {"cta", Scope::Cta}, {"gpu", Scope::Gpu}, {"gl", Scope::Gpu}, {"sys", Scope::Sys}};
constexpr Named<CachePolicy> policies[] = {{"cg", CachePolicy::PastL1}, {"cs", CachePolicy::PastL1}};
constexpr Named<Cmp> comparisons[] = {
    {"eq", Cmp::Eq},   {"ne", Cmp::Ne},   {"lt", Cmp::Lt},   {"le", Cmp::Le},   {"gt", Cmp::Gt},
    {"ge", Cmp::Ge},   {"lo", Cmp::Lt},   {"ls", Cmp::Le},   {"hi", Cmp::Gt},   {"hs", Cmp::Ge},
    {"equ", Cmp::Equ}, {"neu", Cmp::Neu}, {"ltu", Cmp::Ltu}, {"leu", Cmp::Leu}, {"gtu", Cmp::Gtu},
    {"geu", Cmp::Geu}, {"num", Cmp::Num}, {"nan", Cmp::Nan}};
constexpr Named<BoolOp> joins[] = {{"and", BoolOp::And}, {"or", BoolOp::Or}, {"xor", BoolOp::Xor}};
constexpr Named<AtomOp> combinations[] = {{"add", AtomOp::Add}, {"cas", AtomOp::Cas}, {"exch", AtomOp::Exch},
                                          {"min", AtomOp::Min}, {"max", AtomOp::Max}, {"and", AtomOp::And},
                                          {"or", AtomOp::Or},   {"xor", AtomOp::Xor}, {"inc", AtomOp::Inc},
                                          {"dec", AtomOp::Dec}, {"popc", AtomOp::Add}};
constexpr Named<TestpKind> classes[] = {
    {"finite", TestpKind::Finite},         {"infinite", TestpKind::Infinite},
    {"number", TestpKind::Number},         {"normal", TestpKind::Normal},
    {"notanumber", TestpKind::NotANumber}, {"subnormal", TestpKind::Subnormal}};
constexpr Named<ShuffleMode> shuffles[] = {{"up", ShuffleMode::Up},
                                           {"down", ShuffleMode::Down},
                                           {"bfly", ShuffleMode::Butterfly},
                                           {"idx", ShuffleMode::Index}};
constexpr Named<VoteMode> votes[] = {
    {"any", VoteMode::Any}, {"all", VoteMode::All}, {"uni", VoteMode::Uniform}, {"ballot", VoteMode::Ballot}};

/// Sets `value` if the modifier is one of the list.
template <class Value, std::size_t N>
bool read(std::string_view modifier, const Named<Value> (&list)[N], Value& value)
{
    for (const Named<Value>& one : list) {
        if (one.name != modifier)
            continue;
        value = one.value;
        return true;
    }
    return false;
}

/// "m16n8k4"
void readShape(std::string_view modifier, MatrixShape& shape)
{
    std::array<int, 3> sizes{};
    const char* at = modifier.data();
    const char* const end = at + modifier.size();
    for (std::size_t i = 0; i < 3; ++i) {
        if (at == end || *at != "mnk"[i])
            return;
        const auto parsed = std::from_chars(at + 1, end, sizes[i]);
        if (parsed.ec != std::errc{})
            return;
        at = parsed.ptr;
    }
    shape.m = sizes[0];
    shape.n = sizes[1];
    shape.k = sizes[2];
}

/// Registers that each lane holds of a matrix: halves come two to one.
int registersOf(int rows, int columns, Type type)
{
    return rows * columns / 32 / (type == Type::F16 || type == Type::BF16 ? 2 : 1);
}

void readMatrixModifier(std::string_view modifier, OpcodeForm& form)
{
    readShape(modifier, form.matrix);
    if (form.action != Action::LoadMatrix)
        return;
    form.matrix.transposed = form.matrix.transposed || modifier == "trans";
    static constexpr Named<int> counts[] = {{"x1", 1}, {"x2", 2}, {"x4", 4}};
    read(modifier, counts, form.matrix.k);
}

/// What only some actions know.
void readSpecificModifier(std::string_view modifier, OpcodeForm& form)
{
    switch (form.action) {
    case Action::Compare:
        read(modifier, comparisons, form.cmp);
        read(modifier, joins, form.boolOp);
        break;
    case Action::Classify:
        read(modifier, classes, form.testp);
        break;
    case Action::Load:
    case Action::Store:
    case Action::Atomic:
        read(modifier, orders, form.order);
        read(modifier, scopes, form.scope);
        read(modifier, combinations, form.atom);
        break;
    case Action::Reduce:
    case Action::BarrierReduce:
        read(modifier, combinations, form.atom);
        break;
    case Action::Fence:
        read(modifier, scopes, form.scope);
        break;
    case Action::Shuffle:
        read(modifier, shuffles, form.shuffle);
        break;
    case Action::Vote:
    case Action::Match:
        read(modifier, votes, form.vote);
        break;
    case Action::LoadMatrix:
    case Action::MultiplyMatrix:
        readMatrixModifier(modifier, form);
        break;
    case Action::Carry:
        form.carryOut = form.carryOut || modifier == "cc";
        break;
    case Action::Lane:
        form.saturate = form.saturate || modifier == "add"; // the sum of vabsdiff
        break;
    default:
        break;
    }
}

} // namespace

void readModifiers(OpcodeForm& form)
{
    if (form.action == Action::Atomic) { // as PTX says of atomics without
        form.order = Order::Relaxed;
        form.scope = Scope::Gpu;
    }
    std::string_view rest = form.text;
    // "addc"
    form.carryIn = form.action == Action::Carry && rest.substr(0, rest.find('.')).ends_with('c');
    int types = 0;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
        rest.remove_prefix(dot + 1);
        const std::string_view modifier = rest.substr(0, rest.find('.'));
        // The first type is that of the result; a second one that of the sources.
        if (Type type = Type::None; read(modifier, typeNames, type)) {
            (types == 0 ? form.type : form.source) = types < 2 ? type : form.source;
            if (types++ == 0)
                form.source = type;
            continue;
        }
        read(modifier, roundings, form.rounding);
        read(modifier, spaces, form.space);
        read(modifier, vectors, form.vector);
        read(modifier, policies, form.cache);
        form.ftz = form.ftz || modifier == "ftz";
        form.saturate = form.saturate || modifier == "sat";
        form.relu = form.relu || modifier == "relu";
        form.nonCoherent = form.nonCoherent || modifier == "nc";
        readSpecificModifier(modifier, form);
    }
    if (form.action == Action::MultiplyMatrix) {
        MatrixShape& shape = form.matrix;
        shape.d = shape.c = registersOf(shape.m, shape.n, form.type);
        shape.a = registersOf(shape.m, shape.k, form.source);
        shape.b = registersOf(shape.k, shape.n, form.source);
    }
}

} // namespace sparserl::ptx
