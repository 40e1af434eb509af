#include "engine/compute/cpu/cpu_plan.h"

namespace llmd::compute {
namespace {

using model::Operation;
using model::Operator;

}  // namespace

base::Result<std::vector<FusedOp>> lower_to_fused_ops(std::span<const Operation> operations,
                                                      const CpuWeights& weights) {
    using Kind = FusedOp::Kind;
    std::vector<FusedOp> fused_ops;
    size_t next = 0;
    const auto is_next = [&](Operator op) { return next < operations.size() && operations[next].op == op; };
    const auto take_if = [&](Operator op) { return is_next(op) && (++next, true); };
    while (next < operations.size()) {
        const Operation& first = operations[next];
        FusedOp& fused_op = fused_ops.emplace_back(FusedOp{.layer = first.layer, .in = first.in, .out = first.out});
        const auto bias = [&](const Operation& operation) {
            return operation.bias ? weights.vector(*operation.bias, operation.layer) : nullptr;
        };
        switch (first.op) {
            case Operator::Embed:
                fused_op.kind = Kind::Embed;
                ++next;
                break;
            case Operator::Norm:
                fused_op.kind = Kind::Norm;
                fused_op.norm_weight = weights.vector(first.weight, first.layer);
                fused_op.norm_bias = bias(first);
                ++next;
                break;
            case Operator::Matmul:
                for (; is_next(Operator::Matmul) && operations[next].in == first.in; ++next) {
                    const Operation& matmul = operations[next];
                    fused_op.parts.push_back({weights.matrix(matmul.weight, matmul.layer), bias(matmul), matmul.out});
                }
                fused_op.kind = take_if(Operator::Activate) ? Kind::MatmulActivate
                                : take_if(Operator::Add)    ? Kind::MatmulAdd
                                                            : Kind::Matmul;
                break;
            case Operator::HeadNorm:
            case Operator::Rotate:
            case Operator::StoreKv:
                fused_op.kind = Kind::RotateStore;
                for (; is_next(Operator::HeadNorm) || is_next(Operator::Rotate); ++next) {
                    const Operation& operation = operations[next];
                    if (operation.op == Operator::Rotate) continue;
                    (operation.out == model::Operand::Query ? fused_op.query_weight : fused_op.key_weight) =
                        weights.vector(operation.weight, operation.layer);
                }
                if (take_if(Operator::StoreKv)) break;
                [[fallthrough]];
            case Operator::Activate:
                return base::fail(base::ErrorCode::DeviceError, "operation ", next,
                                  " of the model is one that the CPU "
                                  "computes only behind another");
            case Operator::Add:
                fused_op.kind = Kind::Add;
                ++next;
                break;
            case Operator::Attend:
                fused_op.kind = Kind::Attend;
                ++next;
                break;
            case Operator::Convolve:
                fused_op.kind = Kind::Convolve;
                fused_op.taps = weights.vector(first.weight, first.layer);
                ++next;
                break;
        }
    }
    return fused_ops;
}

}  // namespace llmd::compute
