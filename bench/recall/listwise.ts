import { solve } from './solve.ts'

/** The candidates of one question: features by row, whether each bears, and the score that the fit starts from. */
export type Sample = {
  readonly rows: readonly Float64Array[]
  readonly bears: readonly boolean[]
  readonly start: readonly number[]
  /** How much the question counts. */
  readonly share: number
}

const steps = 5

/**
 * Fits what each feature adds to the score it starts from, by Newton's method: the chance of a candidate is the softmax of the
 * scores of its question (ListNet). The penalty pulls all additions to 0, so the start is kept where the samples say little.
 */
export function fitListwise(samples: readonly Sample[], size: number, penalty: number): number[] {
  const deviations = deviationsOf(samples, size)
  const answered = samples.filter(({ bears }) => bears.includes(true))
  const scaled = answered.map((sample): Sample => {
    return { ...sample, rows: sample.rows.map((row) => row.map((value, at) => value / (deviations[at] as number))) }
  })
  let weights = Array.from({ length: size }, () => 0)
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((weight) => -penalty * weight)
    const hessian = weights.map((_, i) => Float64Array.from(weights, (__, j) => (i === j ? penalty : 0)))
    for (const sample of scaled) addSample(sample, weights, gradient, hessian)
    for (let i = 0; i < size; i++)
      for (let j = i + 1; j < size; j++) (hessian[i] as Float64Array)[j] = (hessian[j] as Float64Array)[i] as number
    const change = solve(
      hessian.map((row) => [...row]),
      gradient,
    )
    weights = weights.map((weight, at) => weight + (change[at] as number))
  }
  return weights.map((weight, at) => weight / (deviations[at] as number))
}

/** The standard deviation of each feature: the penalty must not depend on its unit. A feature without any gets no weight. */
function deviationsOf(samples: readonly Sample[], size: number): number[] {
  const rows = samples.flatMap(({ rows }) => rows)
  return Array.from({ length: size }, (_, at) => {
    const mean = rows.reduce((sum, row) => sum + (row[at] as number), 0) / (rows.length || 1)
    const variance = rows.reduce((sum, row) => sum + ((row[at] as number) - mean) ** 2, 0) / (rows.length || 1)
    return Math.sqrt(variance) || Number.POSITIVE_INFINITY
  })
}

function addSample(
  { rows, bears, start, share }: Sample,
  weights: readonly number[],
  gradient: number[],
  hessian: readonly Float64Array[],
): void {
  const bearing = bears.filter(Boolean).length
  const size = weights.length
  const scores = rows.map((row, nth) => {
    let score = start[nth] as number
    for (let at = 0; at < size; at++) score += (row[at] as number) * (weights[at] as number)
    return score
  })
  const top = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - top))
  const total = powers.reduce((sum, power) => sum + power, 0)
  const mean = new Float64Array(size)
  for (const [nth, row] of rows.entries()) {
    const chance = (powers[nth] as number) / total
    const error = share * ((bears[nth] ? 1 / bearing : 0) - chance)
    for (let i = 0; i < size; i++) {
      const value = row[i] as number
      mean[i] = (mean[i] as number) + chance * value
      gradient[i] = (gradient[i] as number) + error * value
      const line = hessian[i] as Float64Array
      const factor = share * chance * value
      if (factor !== 0) for (let j = 0; j <= i; j++) line[j] = (line[j] as number) + factor * (row[j] as number)
    }
  }
  for (let i = 0; i < size; i++) {
    const line = hessian[i] as Float64Array
    for (let j = 0; j <= i; j++) line[j] = (line[j] as number) - share * (mean[i] as number) * (mean[j] as number)
  }
}
