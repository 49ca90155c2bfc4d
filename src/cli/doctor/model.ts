import { type Config, isLocalModel } from '../../config/settings.ts'
import { type HealthCheck, missingLocalPackages } from '../../operate/doctor.ts'

const responseMsMax = 3_000

/** The checks of the configured model and embedder. No memory is sent: each server is only asked for its list of models. */
export async function modelChecks(config: Config): Promise<HealthCheck[]> {
  return Promise.all([modelCheck(config), embedderCheck(config)])
}

async function modelCheck({ llmUrl, llmModel, llmApiKey }: Config): Promise<HealthCheck> {
  const name = 'model'
  if (llmUrl === null || llmModel === null)
    return { name, status: 'ok', message: 'none: the built-in rules extract memories' }
  return checkServer(name, llmUrl, llmModel, llmApiKey, 'LLM')
}

async function embedderCheck({ embeddings, embeddingsModel, embeddingsApiKey }: Config): Promise<HealthCheck> {
  const name = 'embeddings'
  if (embeddings === 'none') return { name, status: 'ok', message: 'none: search matches words only' }
  if (!isLocalModel(embeddings))
    return checkServer(name, embeddings, embeddingsModel ?? '', embeddingsApiKey, 'EMBEDDINGS')
  const missing = missingLocalPackages(embeddings)
  if (missing.length === 0) return { name, status: 'ok', message: 'the local model is installed' }
  const message = `COLOPHON_EMBEDDINGS=${embeddings} needs packages that are not installed`
  return { name, status: 'fail', message, todo: `run: npm install ${missing.join(' ')}` }
}

/** Warns if the server cannot be reached, refuses the key, or lists its models without this one. */
async function checkServer(
  name: string,
  url: string,
  model: string,
  key: string | null,
  variable: string,
): Promise<HealthCheck> {
  const address = new URL(url)
  const base = `${address.origin}${address.pathname}`
  address.pathname = address.pathname.replace(/\/*$/, '/models')
  const headers = key === null ? {} : { authorization: `Bearer ${key}` }
  const warn = (message: string, todo: string): HealthCheck => ({ name, status: 'warn', message, todo })
  try {
    const signal = AbortSignal.timeout(responseMsMax)
    const response = await fetch(address, { headers, signal, redirect: 'manual' })
    if (response.status === 401 || response.status === 403)
      return warn(`${base} refuses the key`, `set COLOPHON_${variable}_API_KEY to a key of that server`)
    const listed = response.ok ? modelsIn(await response.text()) : null
    if (listed !== null && !listed.includes(model))
      return warn(`${base} does not list ${model}`, `set COLOPHON_${variable}_MODEL to one of its models`)
    return { name, status: 'ok', message: `${model} at ${base}` }
  } catch {
    const setting = variable === 'LLM' ? 'COLOPHON_LLM_URL' : 'COLOPHON_EMBEDDINGS'
    return warn(`${base} cannot be reached`, `start that server, or correct ${setting}`)
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
