import type { NodeType } from '../app/runs/node-type.ts'
import { checkCount } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { refuseErased } from '../core/workflow/erased.ts'

/** Waits. How long stands in the input `delayMs`, or in the config as `delayMs`, `ms` or `durationMs`. */
export const delay: NodeType = {
  typeId: 'core.delay',
  replay: 'computes',
  acceptsErased: true,
  async execute({ inputs, config, state, now, isReplay }) {
    if (isReplay || (state.wakeAt !== undefined && state.wakeAt <= now)) return { kind: 'completed' }
    if (state.wakeAt !== undefined) return { kind: 'sleep', until: state.wakeAt }
    const ms = inputs.delayMs ?? config.delayMs ?? config.ms ?? config.durationMs ?? 0
    refuseErased(ms)
    checkCount('delayMs', ms, 0)
    if (ms > limits.delayMsMax) {
      throw invalid('delayMs', `must be at most ${limits.delayMsMax}`, { limit: 'delayMsMax', max: limits.delayMsMax })
    }
    return ms === 0 ? { kind: 'completed' } : { kind: 'sleep', until: now + ms }
  },
}
