import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ColophonError } from '../core/errors.ts'
import { type ExportSignature, isExportSigned, lineDigest, nextLink } from '../core/portable/export-signature.ts'

/** The size of one part that is sent, well below the body limit of a server. */
const partBytesMax = 512 * 1_024

/** An export file whose digest and signature were verified. */
export type CheckedFile = {
  readonly header: string
  readonly rows: number
  readonly sha256: string
  /** The signature of the trailer; undefined if the file is not signed. */
  readonly signature?: ExportSignature | undefined
}

/** The lines of a file as bytes, split at line feeds only: other line separators are part of a text. */
export async function* linesIn(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10)) {
      yield data.subarray(0, end)
      data = data.subarray(end + 1)
    }
    rest = data
  }
  if (rest.length > 0) yield rest
}

/** Verifies a whole file before any part of it is sent. A truncated or changed file is refused. */
export async function checkExportFile(file: string): Promise<CheckedFile> {
  const hash = createHash('sha256')
  let header = ''
  let count = 0
  let chain = ''
  let last: Buffer | null = null
  for await (const line of linesIn(file)) {
    if (last !== null) {
      if (count === 0) header = last.toString('utf8')
      count += 1
      hash.update(last).update('\n')
      chain = nextLink(chain, lineDigest(last.toString('utf8')))
    }
    last = line
  }
  const trailer = parse(last?.toString('utf8') ?? '')
  if (trailer?.type !== 'trailer')
    throw invalid(
      'The file has no trailer: it is truncated, or it is not an export of Colophon. For another file use --from or --plain.',
    )
  const sha256 = hash.digest('hex')
  if (trailer.lines !== count || trailer.sha256 !== sha256 || parse(header)?.type !== 'header') {
    throw invalid('The digest in the trailer does not match: the file was changed.')
  }
  const signature = trailer.signature as ExportSignature | undefined
  if (signature !== undefined && !isExportSigned({ lines: count, sha256, chain }, signature)) {
    throw invalid('The signature in the trailer does not match: the file was changed after it was signed.')
  }
  return { header, rows: count - 1, sha256, signature }
}

/** The file in parts. Each part is an export: header, a line with the number of its first row, rows, trailer. */
export async function* partsOf(
  file: string,
  { header, rows, sha256, signature }: CheckedFile,
  fromLine = 1,
): AsyncGenerator<{ readonly text: string; readonly to: number }> {
  let gathered: string[] = []
  let bytes = 0
  let number = 0
  const close = (to: number) => {
    const from = to - gathered.length + 1
    const before = `${[header, JSON.stringify({ type: 'part', file: sha256, from, signature }), ...gathered].join('\n')}\n`
    const digest = createHash('sha256').update(before).digest('hex')
    const trailer = JSON.stringify({ type: 'trailer', lines: gathered.length + 2, sha256: digest })
    gathered = []
    bytes = 0
    return { text: `${before}${trailer}\n`, to }
  }
  for await (const line of linesIn(file)) {
    if (number > rows) break
    if (number >= fromLine) {
      if (gathered.length > 0 && bytes + line.length > partBytesMax) yield close(number - 1)
      gathered.push(line.toString('utf8'))
      bytes += line.length
    }
    number += 1
  }
  // Also without rows: the last part completes an import.
  yield close(rows)
}

function parse(text: string): { type?: unknown; lines?: unknown; sha256?: unknown; signature?: unknown } | null {
  try {
    return JSON.parse(text) as { type?: unknown }
  } catch {
    return null
  }
}

function invalid(message: string): ColophonError {
  return new ColophonError('import_file_invalid', message)
}
