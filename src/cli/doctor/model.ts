import type { Config } from '../../config/settings.ts'
import { type Check, missingLocalPackages } from '../../operate/doctor.ts'

const answerMsMax = 3_000

/** The model and the embedder, as they are set. Nothing of anybody is sent: a server is only asked which models it has. */
export async function modelChecks(config: Config): Promise<Check[]> {
  return Promise.all([modelCheck(config), embedderCheck(config)])
}

async function modelCheck({ llmUrl, llmModel, llmApiKey }: Config): Promise<Check> {
  const name = 'model'
  if (llmUrl === null || llmModel === null) return { name, status: 'ok', message: 'none: built-in rules find memories' }
  return ask(name, llmUrl, llmModel, llmApiKey, 'LLM')
}

async function embedderCheck({ embeddings, embeddingsModel, embeddingsApiKey }: Config): Promise<Check> {
  const name = 'embeddings'
  if (embeddings === 'none') return { name, status: 'ok', message: 'none: search is by words' }
  if (embeddings !== 'local') return ask(name, embeddings, embeddingsModel ?? '', embeddingsApiKey, 'EMBEDDINGS')
  const missing = missingLocalPackages()
  if (missing.length === 0) return { name, status: 'ok', message: 'the local model, in its packages' }
  const message = 'COLOPHON_EMBEDDINGS=local needs packages that are not installed'
  return { name, status: 'fail', message, todo: `run: npm install ${missing.join(' ')}` }
}

/** A server that does not list its models is no fault; one that does not answer, or not to this key, is. */
async function ask(name: string, url: string, model: string, key: string | null, variable: string): Promise<Check> {
  const address = new URL(url)
  const place = `${address.origin}${address.pathname}`
  address.pathname = address.pathname.replace(/\/*$/, '/models')
  const headers = key === null ? {} : { authorization: `Bearer ${key}` }
  const warn = (message: string, todo: string): Check => ({ name, status: 'warn', message, todo })
  try {
    const signal = AbortSignal.timeout(answerMsMax)
    const answer = await fetch(address, { headers, signal, redirect: 'manual' })
    if (answer.status === 401 || answer.status === 403)
      return warn(`${place} does not accept the key`, `set COLOPHON_${variable}_API_KEY to a key of that server`)
    const listed = answer.ok ? modelsIn(await answer.text()) : null
    if (listed !== null && !listed.includes(model))
      return warn(`${place} does not list ${model}`, `set COLOPHON_${variable}_MODEL to one of its models`)
    return { name, status: 'ok', message: `${model} at ${place}` }
  } catch {
    const setting = variable === 'LLM' ? 'COLOPHON_LLM_URL' : 'COLOPHON_EMBEDDINGS'
    return warn(`nobody answers at ${place}`, `start that server, or correct ${setting}`)
  }
}

function modelsIn(text: string): string[] | null {
  try {
    const { data } = JSON.parse(text) as { data?: unknown }
    return Array.isArray(data) ? data.map((each: { id?: unknown } | null) => String(each?.id)) : null
  } catch {
    return null
  }
}
