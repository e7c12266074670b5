import { describeDamage } from './describeDamage.ts'

describeDamage('cut short')
