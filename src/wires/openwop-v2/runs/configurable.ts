/** Options of a run: groups in version 2, one flat object in the engine and in version 1. */

type Values = Readonly<Record<string, unknown>>

/** The options of each group, by the group's name. */
const optionGroups = {
  run: ['recursionLimit', 'runTimeoutMs', 'maxLoopIterations', 'escalationThreshold'],
  ai: ['model', 'temperature', 'maxTokens', 'promptOverrides', 'reasoningVerbosity', 'maxRefusals'],
} as const

/** Members that are the same in both forms. */
const whole = ['distillation', 'budget'] as const

/** The flat options of a grouped object that was checked. */
export function toFlatOptions(grouped: Values): Record<string, unknown> {
  const flat: Record<string, unknown> = {}
  for (const group of Object.keys(optionGroups)) Object.assign(flat, grouped[group])
  // Flat, these are names that a workflow of version 1 may give its own options: the engine refuses them in their group.
  const { provider, credentialRef, mockProvider } = (grouped.ai ?? {}) as Values
  const chosen = Object.entries({ provider, credentialRef, mockProvider }).filter(([, value]) => value !== undefined)
  if (chosen.length > 0) flat.ai = Object.fromEntries(chosen)
  for (const name of whole) if (grouped[name] !== undefined) flat[name] = grouped[name]
  return flat
}

/**
 * The groups of flat options; null when there is none to show. An option that only the workflow knows has no place in version 2
 * and is read on version 1.
 */
export function toGroupedOptions(flat: Values): Record<string, unknown> | null {
  const groups = Object.entries(optionGroups).flatMap(([group, names]) => {
    const given = names.filter((name) => flat[name] !== undefined).map((name) => [name, flat[name]])
    return given.length === 0 ? [] : [[group, Object.fromEntries(given)] as const]
  })
  const kept = whole.filter((name) => flat[name] !== undefined).map((name) => [name, flat[name]] as const)
  if (groups.length + kept.length === 0) return null
  return { version: 1, ...Object.fromEntries([...groups, ...kept]) }
}
