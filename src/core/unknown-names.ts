import { nearestName } from './nearest-name.ts'
import { shownName } from './shown-name.ts'

const namedMax = 5
const knownMax = 30

export type UnknownNames = {
  /** Such as `has a member that is not known: contnt (did you mean content?)`. */
  readonly text: string
  readonly details: {
    readonly unknownKeys: number
    /** Names that could be something else than a word are shown as `*`. */
    readonly unknown: readonly string[]
    readonly nearest?: readonly string[]
  }
}

/** Names what a caller gave and is not known, each with the known name that is most like it, or else what is known. */
export function describeUnknown(
  kind: 'member' | 'parameter' | 'key',
  given: readonly string[],
  known: readonly string[],
): UnknownNames {
  const named = given.slice(0, namedMax).map((name) => {
    const shown = shownName(name)
    return { shown, nearest: shown === name ? nearestName(name, known) : null }
  })
  const nearest = [...new Set(named.flatMap((one) => one.nearest ?? []))]
  const unknown = named.map(({ shown }) => shown)
  const names = named.map((one) => `${one.shown}${one.nearest === null ? '' : ` (did you mean ${one.nearest}?)`}`)
  const more = given.length > namedMax ? ', …' : ''
  const those = given.length > 1 ? `has ${kind}s that are not known` : `has a ${kind} that is not known`
  const isClear = named.every((one) => one.nearest !== null)
  return {
    text: `${those}: ${names.join(', ')}${more}${isClear ? '' : `; ${listed(known)}`}`,
    details: { unknownKeys: given.length, unknown, ...(nearest.length === 0 ? {} : { nearest }) },
  }
}

function listed(known: readonly string[]): string {
  if (known.length === 0) return 'there are none'
  return `known are ${known.slice(0, knownMax).join(', ')}${known.length > knownMax ? ', …' : ''}`
}
