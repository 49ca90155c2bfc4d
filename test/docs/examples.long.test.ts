import { describe } from 'node:test'
import { testExamples } from './example-programs.ts'

describe('examples', () => testExamples(['examples/*.ts', 'examples/frameworks/!(load).ts']))
