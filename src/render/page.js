(() => {
  'use strict';
  const game = JSON.parse(document.getElementById('game').textContent);
  const one = id => document.getElementById(id);
  const squares = new Map([...document.querySelectorAll('.sq')].map(g => [g.dataset.square, g]));
  const names = [...squares.keys()];
  const last = game.turns.length;
  let at = last;

  const signed = value => (value < 0 ? '−' : '+') + Math.abs(value).toFixed(value % 1 ? 2 : 0);
  const severity = loss => loss < 1 ? 'small' : loss < 3 ? 'medium' : loss < 6 ? 'large' : 'huge';
  const side = mark => mark === 'X' ? 'Black' : 'White';

  // The board after a number of turns, with nothing of the side lines.
  function draw(turns) {
    const board = game.boards[turns], mover = game.movers[turns];
    const placed = new Map();
    let moved = '';
    for (let i = 0; i < turns; i++) {
      if (game.turns[i] === 'pa') continue;
      moved = game.turns[i];
      placed.set(moved, i + 1);
    }
    names.forEach((name, i) => {
      const list = ['sq'];
      if (board[i] !== '-') list.push(board[i] === 'X' ? 'black' : 'white');
      if (game.moves[turns].includes(name)) list.push('can');
      if (placed.has(name)) list.push('placed', game.movers[placed.get(name) - 1] === 'X' ? 'by-black' : 'by-white');
      if (name === moved) list.push('is-last');
      const group = squares.get(name);
      group.setAttribute('class', list.join(' '));
      group.querySelector('.no').textContent = placed.get(name) || '';
    });
    return mover;
  }

  // The first moves of the expected play from a position, on its board.
  function preview(turns, count) {
    let mover = draw(turns), n = 0;
    for (const name of game.pvs[turns].slice(0, count)) {
      n++;
      if (name !== 'pa') {
        const group = squares.get(name);
        group.classList.add('ghosted', mover === 'X' ? 'g-black' : 'g-white');
        group.querySelector('.gn').textContent = n;
      }
      mover = mover === 'X' ? 'O' : 'X';
    }
  }

  function element(tag, text, classes) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (classes) made.className = classes;
    return made;
  }

  // A line of expected play whose moves show themselves on the board.
  function playLine(turns, label) {
    const line = element('p', '', 'pv');
    line.append(label + ' ');
    game.pvs[turns].slice(0, 14).forEach((name, k) => {
      const move = element('b', name === 'pa' ? 'pass' : name);
      move.tabIndex = 0;
      const show = () => { preview(turns, k + 1); move.classList.add('on'); };
      const hide = () => { draw(at); move.classList.remove('on'); };
      move.addEventListener('mouseenter', show);
      move.addEventListener('mouseleave', hide);
      move.addEventListener('focus', show);
      move.addEventListener('blur', hide);
      line.append(move);
    });
    return line;
  }

  function say(turns) {
    const said = one('said');
    said.replaceChildren();
    const value = game.values[turns];
    if (turns > 0) {
      const line = element('p');
      const name = game.turns[turns - 1] === 'pa' ? 'passes' : game.turns[turns - 1];
      line.append(element('b', `${side(game.movers[turns - 1])} ${name}`));
      const loss = game.losses[turns - 1];
      if (loss >= 0.05) {
        line.append(' · ', element('span', `loses ${loss.toFixed(2)} discs`, `lost ${severity(loss)}`));
      }
      said.append(line);
      if (loss >= 0.05 && game.pvs[turns - 1].length) said.append(playLine(turns - 1, 'better was'));
    }
    if (value !== null) {
      const depth = game.depths[turns];
      const exact = depth === '100%' ? ' under perfect play' : depth ? ` at depth ${depth}` : '';
      said.append(element('p', value === 0 ? `even${exact}` : `${signed(value)} for Black${exact}`, 'pv'));
    }
    if (game.pvs[turns].length) said.append(playLine(turns, `${side(game.movers[turns])}’s best:`));
    for (const text of game.comments[turns] || []) said.append(element('p', text, 'note'));
  }

  function go(turns) {
    at = Math.max(0, Math.min(last, turns));
    draw(at);
    const board = game.boards[at];
    const count = mark => [...board].filter(c => c === mark).length;
    one('where').textContent = `move ${at} of ${last} · ● ${count('X')}  ○ ${count('O')}`;
    document.body.dataset.turns = at;
    say(at);
    document.querySelectorAll('.list button').forEach(button => {
      const on = Number(button.dataset.turns) === at;
      button.classList.toggle('on', on);
      if (on) {
        const list = button.parentElement;
        const top = button.offsetTop - list.clientHeight / 2;
        list.scrollTop = top;
      }
    });
    const cursor = one('cursor');
    if (cursor) {
      const x = Number(cursor.dataset.first) + at * Number(cursor.dataset.step);
      cursor.setAttribute('x1', x);
      cursor.setAttribute('x2', x);
    }
    history.replaceState(null, '', '#' + at);
  }

  // The next move in a direction that lost a disc or more.
  function mistake(step) {
    for (let turns = at + step; turns > 0 && turns <= last; turns += step) {
      if (game.losses[turns - 1] >= 1) return go(turns);
    }
  }

  function toggleNumbers() {
    const on = one('board').classList.toggle('numbers');
    one('numbers').setAttribute('aria-pressed', on);
  }

  const keys = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last),
    ArrowUp: () => mistake(-1), ArrowDown: () => mistake(1), n: toggleNumbers,
  };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  one('first').onclick = keys.Home;
  one('back').onclick = keys.ArrowLeft;
  one('on').onclick = keys.ArrowRight;
  one('last').onclick = keys.End;
  one('numbers').onclick = toggleNumbers;
  document.querySelectorAll('[data-turns]').forEach(place => {
    if (place !== document.body) place.addEventListener('click', () => go(Number(place.dataset.turns)));
  });
  // The address may say where to begin: page.html#31.
  const address = () => Number.parseInt(location.hash.slice(1), 10);
  window.addEventListener('hashchange', () => {
    if (Number.isInteger(address()) && address() !== at) go(address());
  });
  go(Number.isInteger(address()) ? address() : game.first);
})();
