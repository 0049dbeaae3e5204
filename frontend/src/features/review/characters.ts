/** Characters as the server and the site count them: UTF-16 units, so that most emoji are two. */
export const countCharacters = (text: string): number => text.length;
