import { tenantUrn } from './urn.ts'

/** An event of CloudEvents 1.0 in structured mode, in JSON. Source and id together are unique, so a receiver can drop repeats. */
export type CloudEvent<Data = unknown> = {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time?: string
  readonly datacontenttype: 'application/json'
  readonly data: Data
}

/** The media type of an event in structured mode. */
export const cloudEventMediaType = 'application/cloudevents+json'

type EventFacts<Data> = Pick<CloudEvent<Data>, 'id' | 'type' | 'subject' | 'time' | 'data'>

/** An event of a tenant. */
export function toCloudEvent<Data>(tenantId: string, { data, ...facts }: EventFacts<Data>): CloudEvent<Data> {
  const source = tenantUrn(tenantId)
  return { specversion: '1.0', source, ...facts, datacontenttype: 'application/json', data }
}
