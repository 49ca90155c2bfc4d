import { type CallOptions, ndjson, type Transport } from './transport.ts'
import type * as wire from './types.ts'

/** Export and import of a tenant's memory. */
export function portableCalls({ send, open }: Transport) {
  return {
    /**
     * The text of an export in chunks, one JSON document per line. The last line has the number of lines and their digest.
     *
     * @example for await (const chunk of client.export()) file.write(chunk)
     */
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
    /** Imports an export, or a part of one. Lines that are stored already are skipped, so a repeat is safe. */
    import: (lines: string, query?: wire.ImportQuery, options?: CallOptions) =>
      send<wire.ImportResult>('POST /v1/host/colophon/import', { lines, query, repeat: 'read' }, options),
  }
}
