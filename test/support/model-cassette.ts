import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { sha256 } from '../../src/core/audit/digest.ts'
import { canonicalJson } from '../../src/core/canonical.ts'
import { type ModelReply, type ModelStandIn, startModelStandIn } from './model-stand-in.ts'

/** Recorded answers of a model, by the digest of the request. */
type Cassette = Record<string, { readonly status: number; readonly body: unknown }>

export type ModelCassette = ModelStandIn & { readonly file: string }

/**
 * A model whose answers were recorded: the same request gets the recorded answer, and any other one is refused with its digest. With
 * `upstream`, the base address of a model, requests that are not recorded are sent there, and their answers are added to the file. Keys are
 * neither sent on nor recorded.
 */
export async function startModelCassette(file: string, upstream?: string): Promise<ModelCassette> {
  const recorded: Cassette = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Cassette) : {}
  const record = async (digest: string, text: string) => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${upstream}/chat/completions`, { method: 'POST', headers, body: text })
    recorded[digest] = { status: answer.status, body: await answer.json() }
    writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
  }
  const reply: ModelReply = async (response, { text, body }) => {
    const digest = sha256(canonicalJson(body))
    if (recorded[digest] === undefined && upstream !== undefined) await record(digest, text)
    const refusal = { status: 404, body: { error: { message: `There is no answer to ${digest} in the cassette.` } } }
    const answer = recorded[digest] ?? refusal
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body))
  }
  return { ...(await startModelStandIn(reply)), file }
}
