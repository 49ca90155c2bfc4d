/** One server-sent event. `id` is the last id that the stream has sent. */
export type ServerSentEvent = { readonly event: string; readonly data: string; readonly id: string }

/**
 * Parses server-sent events from chunks of any size. An id is valid until the next one. An id without data makes no event,
 * but a new connection resumes there.
 */
export class SseParser {
  lastId = ''
  #rest = ''
  #event = ''
  #data: string[] = []
  #isStart = true

  /** The events that this chunk completes. */
  parse(chunk: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    this.#rest += chunk
    if (this.#isStart && this.#rest !== '') {
      this.#rest = this.#rest.replace(/^\uFEFF/, '')
      this.#isStart = false
    }
    let from = 0
    for (const line of this.#rest.matchAll(/\r\n|\n|\r/g)) {
      // A carriage return at the end of the chunk may be the first half of CRLF.
      if (line[0] === '\r' && line.index === this.#rest.length - 1) break
      const event = this.#line(this.#rest.slice(from, line.index))
      from = line.index + line[0].length
      if (event) events.push(event)
    }
    this.#rest = this.#rest.slice(from)
    return events
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data.push(value)
    if (field === 'event') this.#event = value
    if (field === 'id' && !value.includes('\0')) this.lastId = value
  }

  #dispatch(): ServerSentEvent | undefined {
    const data = this.#data
    const event = this.#event
    this.#data = []
    this.#event = ''
    if (data.length > 0) return { event: event || 'message', data: data.join('\n'), id: this.lastId }
  }
}
