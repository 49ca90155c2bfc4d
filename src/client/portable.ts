import { type CallOptions, ndjson, type Transport } from './transport.ts'
import type * as wire from './types.ts'

/** A tenant's memory as a file, and back. */
export function portableCalls({ send, open }: Transport) {
  return {
    /** The text of an export, piece by piece. The last line says how many there are and their digest. */
    async *export(query?: wire.ExportQuery, options: CallOptions = {}): AsyncGenerator<string> {
      const signal = options.signal ?? new AbortController().signal
      const { body } = await open('GET /v1/host/colophon/export', { query }, { accept: ndjson }, signal)
      const decoder = new TextDecoder()
      const reader = body?.getReader()
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) break
        yield decoder.decode(value, { stream: true })
      }
      yield decoder.decode()
    },
    /** An export, or a part of one. Sending the same lines again stores nothing twice. */
    import: (lines: string, query?: wire.ImportQuery, options?: CallOptions) =>
      send<wire.ImportResult>('POST /v1/host/colophon/import', { lines, query, repeat: 'read' }, options),
  }
}
