import { describeDamage } from './describeDamage.ts'

describeDamage('empty')
