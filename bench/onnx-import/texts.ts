/** Questions and passages in English and Chinese, short and long. */
export const TEXTS = [
  'what causes anemia?',
  'how long may a bridge stand without maintenance',
  'A near miss is something that almost happened, but did not.',
  'Anemia has many causes, among them a lack of iron, of vitamin B12 or of folic acid, loss of blood, and diseases of the marrow in which red blood cells are made.',
  'Steel bridges are inspected every two years; paint, joints and bearings are renewed long before the structure itself has to be replaced.',
  '贫血的原因是什么？',
  '北京是中国的首都。',
  '机器学习模型需要大量数据，才能在没有见过的问题上给出可靠的答案。',
  '桥梁每两年检查一次，油漆、接缝和支座在结构本身需要更换之前很久就已更新。',
];
