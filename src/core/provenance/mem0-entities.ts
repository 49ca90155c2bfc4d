import { invalid } from '../errors.ts'

/**
 * mem0 stores a memory for a user, an agent, an app and a run, in any combination. Here a memory is about one subject. It is
 * about the first of them that is named, in this order; the others are kept with its source event.
 */

export type Entities = {
  readonly user_id?: string | undefined
  readonly agent_id?: string | undefined
  readonly app_id?: string | undefined
  readonly run_id?: string | undefined
}

export const entityFields = ['user_id', 'agent_id', 'app_id', 'run_id'] as const
type EntityField = (typeof entityFields)[number]

/** A user is the subject itself, so that all other surfaces name the same person. The others have a prefix. */
const prefixes = { user_id: '', agent_id: 'agent:', app_id: 'app:', run_id: 'run:' } as const satisfies Record<
  EntityField,
  string
>
const reserved = [prefixes.agent_id, prefixes.app_id, prefixes.run_id]

/** The subject of a memory of these entities. `where` is the place of the fields in the request, such as `filters`. */
export function subjectOf(entities: Entities, where = ''): string {
  const place = where === '' ? '' : `${where}.`
  const main = entityFields.find((field) => entities[field] !== undefined)
  if (main === undefined)
    throw invalid(where === '' ? 'user_id' : where, `must name ${entityFields.join(', ')}: one of them at least`)
  const id = entities[main] ?? ''
  // Otherwise a user could read the memories of an agent, and the other way round.
  const prefix = reserved.find((start) => id.startsWith(start))
  if (main === 'user_id' && prefix !== undefined)
    throw invalid(`${place}user_id`, `must not begin with ${prefix}, which names a subject of another kind`)
  return prefixes[main] + id
}

const kinds = [
  { kind: 'agent', field: 'agent_id' },
  { kind: 'app', field: 'app_id' },
  { kind: 'run', field: 'run_id' },
] as const

/** What a subject names in mem0. */
export function entityOfSubject(subject: string): {
  readonly kind: string
  readonly field: EntityField
  readonly id: string
} {
  for (const { kind, field } of kinds)
    if (subject.startsWith(prefixes[field])) return { kind, field, id: subject.slice(prefixes[field].length) }
  return { kind: 'user', field: 'user_id', id: subject }
}

/** The scope of a source event: a run is a conversation. */
export function scopeOf({ app_id, run_id }: Entities): Readonly<Record<string, string>> | null {
  if (app_id === undefined && run_id === undefined) return null
  return { ...(run_id === undefined ? {} : { session_id: run_id }), ...(app_id === undefined ? {} : { app_id }) }
}

/** The app and the run in the scope of a source event. */
export function entitiesOfScope(scope: unknown): Pick<Entities, 'app_id' | 'run_id'> {
  const { app_id, session_id } = (scope ?? {}) as { app_id?: unknown; session_id?: unknown }
  return {
    ...(typeof app_id === 'string' ? { app_id } : {}),
    ...(typeof session_id === 'string' ? { run_id: session_id } : {}),
  }
}
