import { api } from '../../app/api.ts'
import { RefPassDialog } from './ref-pass-dialog.tsx'

type DialogProps = { readonly onClose: () => void }

export function NewCompaction({ onClose }: DialogProps) {
  const draft = (memoryRef: string, keepNewest: number) => ({ memoryRef, minAgeDays: 0, keepNewest })
  return (
    <RefPassDialog
      title="Compact a ref"
      description="Summarises many entries into one. It can be undone."
      action="Compact"
      option={{ label: 'Keep the newest entries', initial: '0', min: 0 }}
      preview={async (memoryRef, keepNewest) => {
        const { sourceCount, compactions } = await api.compactions.dryRun(draft(memoryRef, keepNewest))
        const isNothing = sourceCount === 0
        const words = isNothing
          ? 'No entries to compact.'
          : `Would compact ${sourceCount} entries into ${compactions.length}.`
        return { words, isNothing }
      }}
      start={(memoryRef, keepNewest) => api.compactions.request(draft(memoryRef, keepNewest))}
      onClose={onClose}
    />
  )
}

export function NewConsolidation({ onClose }: DialogProps) {
  return (
    <RefPassDialog
      title="Consolidate a ref"
      description="Merges entries that say the same, by fixed rules. Each merge can be undone."
      action="Consolidate"
      preview={async (memoryRef) => {
        const { inputCount, outputCount } = await api.consolidations.dryRun({ memoryRef })
        const isNothing = inputCount === outputCount
        const words = isNothing
          ? `None of its ${inputCount} entries say the same.`
          : `Would merge ${inputCount} entries into ${outputCount}.`
        return { words, isNothing }
      }}
      start={(memoryRef) => api.consolidations.request({ memoryRef })}
      onClose={onClose}
    />
  )
}

export function NewDistillation({ onClose }: DialogProps) {
  return (
    <RefPassDialog
      title="Distill a ref"
      description="Makes an archive of the ref within a token budget. The entries stay."
      action="Distill"
      option={{ label: 'Token budget', initial: '2000', min: 1 }}
      preview={async (memoryRef, tokenBudget) => {
        const plan = await api.distillations.dryRun({ memoryRef, tokenBudget })
        const { sourceCount, inputTokens, minimumRequired } = plan
        if (sourceCount === 0) return { words: 'No entries to distill.', isNothing: true }
        const read = `Would distill ${sourceCount} ${sourceCount === 1 ? 'entry' : 'entries'} of ${inputTokens} tokens into one archive of at most ${plan.tokenBudget}.`
        const isTooSmall = plan.tokenBudget < minimumRequired
        return {
          words: isTooSmall ? `The budget is too small: it must be at least ${minimumRequired}.` : read,
          isNothing: isTooSmall,
        }
      }}
      start={(memoryRef, tokenBudget) => api.distillations.request({ memoryRef, tokenBudget })}
      onClose={onClose}
    />
  )
}
