import { checkCount } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import { defineNodeType } from './define-node-type.ts'

export const delay = defineNodeType({
  typeId: 'core.delay',
  description: 'A timer: waits for the time of the input `delayMs`, or of its config.',
  config: {
    delayMs: { description: 'milliseconds; an input of this name comes first' },
    ms: { description: 'the same' },
    durationMs: { description: 'the same' },
  },
  hasLenientConfig: true,
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
})
