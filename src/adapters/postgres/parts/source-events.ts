import type { SourceEventPartState } from '../../../core/commit/parts/source-events.ts'
import { type NewSourceEvent, sourceKeyOf } from '../../../core/provenance/source-event.ts'
import { statement } from '../connection.ts'
import { eventNotFenced } from '../fence.ts'
import { saveSourceEvents } from '../provenance.ts'
import type { PostgresPart } from './part.ts'

export type SourceEventsLoaded = {
  /** Which of the group's source events are stored already, by service and event id. */
  readonly sourceEvents: Set<string>
  /** Those source events that the group makes memories of and that are neither erased nor behind a fence. */
  readonly present: Set<string>
}

type NameRow = { service: string; event_id: string }

/** The names under which an event may be stored already: its own, and its tombstone. */
function namesOf({ service, eventId, tombstone }: NewSourceEvent) {
  if (service === null) return []
  return [{ service, eventId }, ...(tombstone === undefined ? [] : [{ service, eventId: tombstone }])]
}

export const sourceEvents: PostgresPart<SourceEventsLoaded, SourceEventPartState> = {
  none: () => ({ sourceEvents: new Set(), present: new Set() }),

  async load(send, tenantId, batches) {
    const named = batches.flatMap((batch) => batch.sourceEvents).flatMap(namesOf)
    const ingested = batches.flatMap(({ ingests }) => ingests ?? [])
    const services = named.map(({ service }) => service)
    const eventIds = named.map(({ eventId }) => eventId)
    const [stored, present] = await Promise.all([
      named.length === 0 ? null : send<NameRow>(sql.named, [tenantId, services, eventIds]),
      ingested.length === 0 ? null : send<{ source_event_id: string }>(sql.present, [tenantId, ingested]),
    ])
    return {
      sourceEvents: new Set(
        stored?.rows.map((row) => sourceKeyOf({ service: row.service, eventId: row.event_id }) ?? ''),
      ),
      present: new Set(present?.rows.map((row) => row.source_event_id)),
    }
  },

  state: (loaded) => ({
    hasSourceEvent: (service, eventId) => loaded.sourceEvents.has(sourceKeyOf({ service, eventId }) ?? ''),
    isSourceForgotten: (id) => !loaded.present.has(id),
  }),

  after(loaded, sealed) {
    for (const event of sealed.sourceEvents) loaded.sourceEvents.add(sourceKeyOf(event) ?? '')
  },

  save: saveSourceEvents,
}

const sql = {
  named: statement(
    'select_source_names',
    `select e.service, e.event_id
     from unnest($2::text[], $3::text[]) as wanted (service, event_id)
     join source_event e
       on e.tenant_id = $1
      and e.service = wanted.service
      and e.event_id = wanted.event_id`,
  ),
  /** Which of these source events are neither erased nor behind a fence. */
  present: statement(
    'select_present_events',
    `select source_event_id
     from source_event e
    where tenant_id = $1
      and source_event_id = any($2)
      and erased_at is null
      and ${eventNotFenced('e')}`,
  ),
}
